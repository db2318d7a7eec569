//! Settings come from the environment.

use std::env::{self, VarError};
use std::num::NonZeroU16;

use anyhow::{Context, ensure};
use sqlx::postgres::PgConnectOptions;

pub struct Settings {
    pub host: String,
    pub port: u16,
    pub postgres: PgConnectOptions,
}

impl Settings {
    /// An error names the variable. It does not show its value: a URL may hold a password.
    pub fn from_env() -> anyhow::Result<Self> {
        Self::from(env::var)
    }

    fn from(read: impl Fn(&'static str) -> Result<String, VarError>) -> anyhow::Result<Self> {
        let read = |name| read(name).context(name);
        let port: NonZeroU16 = read("PORT")?.parse().context("PORT")?;
        let url = read("POSTGRES_URL")?;
        let is_postgres = url.starts_with("postgres://") || url.starts_with("postgresql://"); // sqlx takes any scheme
        ensure!(is_postgres, "POSTGRES_URL must begin with postgres://");
        Ok(Self {
            host: read("HOST").unwrap_or_else(|_| "127.0.0.1".to_owned()),
            port: port.get(),
            postgres: url.parse().context("POSTGRES_URL")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(variables: &[(&str, &str)]) -> Result<Settings, String> {
        let read = |name| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map_or(Err(VarError::NotPresent), |(_, value)| {
                Ok((*value).to_owned())
            })
        };
        Settings::from(read).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn an_error_names_its_variable() {
        let url = "postgres://u@127.0.0.1:5432/links";
        assert!(settings(&[("PORT", "8080"), ("POSTGRES_URL", url)]).is_ok());
        for (port, url, name) in [
            ("", url, "PORT"),
            ("0", url, "PORT"),
            ("65536", url, "PORT"),
            ("8080", "", "POSTGRES_URL"),
            ("8080", "http://u@127.0.0.1/links", "POSTGRES_URL"),
        ] {
            let error = settings(&[("PORT", port), ("POSTGRES_URL", url)]).err();
            assert!(error.is_some_and(|text| text.starts_with(name)), "{name}");
        }
    }
}

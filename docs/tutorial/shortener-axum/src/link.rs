//! The values of a link.

use axum::http::Uri;
use rand::distr::{Alphanumeric, SampleString};
use serde::{Deserialize, Serialize};

const MAX_URL: usize = 2_048;
const HASH_LENGTH: usize = 6;

#[derive(Serialize)]
pub struct Link {
    pub hash: String,
    pub url: String,
}

/// An absolute http or https URL, as it was sent.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct HttpUrl(pub String);

impl TryFrom<String> for HttpUrl {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        // Uri does not look at a fragment. It gets out in a Location field, so it has no line break.
        if text.len() > MAX_URL || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("url must have at most 2,048 characters, all of them visible ASCII");
        }
        let uri: Uri = text.parse().map_err(|_| "url must be a URL")?;
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        if is_http && uri.host().is_some_and(|host| !host.is_empty()) {
            Ok(Self(text))
        } else {
            Err("url must be an absolute http or https URL")
        }
    }
}

pub fn is_hash(text: &str) -> bool {
    text.len() == HASH_LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The generator is cryptographically secure.
pub fn random_hash() -> String {
    Alphanumeric.sample_string(&mut rand::rng(), HASH_LENGTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_taken(url: &str) -> bool {
        HttpUrl::try_from(url.to_owned()).is_ok()
    }

    #[test]
    fn absolute_http_urls_are_taken() {
        assert!(is_taken("http://a.example"));
        assert!(is_taken("https://a.example:8080/a%20b?c=d#e"));
        assert!(is_taken(&format!(
            "http://a.example/{}",
            "a".repeat(MAX_URL - 17)
        )));
    }

    #[test]
    fn others_are_not() {
        for url in [
            "",
            "a.example",
            "/a",
            "http:",
            "http://",
            "http:///a",
            "ftp://a.example",
        ] {
            assert!(!is_taken(url), "{url}");
        }
        assert!(!is_taken("http://a.example/\r\nb"));
        assert!(!is_taken("http://a.example/#\r\nb"));
        assert!(!is_taken(&format!(
            "http://a.example/{}",
            "a".repeat(MAX_URL - 16)
        )));
    }

    #[test]
    fn a_random_hash_is_a_hash() {
        assert!(is_hash(&random_hash()));
        assert!(!is_hash("dktPz") && !is_hash("dktPz\0") && !is_hash("dktPzä"));
    }
}

//! The links in PostgreSQL.

use std::io::{self, ErrorKind};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use sqlx::ConnectOptions;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPool, PgPoolOptions, Postgres};
use sqlx::query::QueryScalar;
use tokio::time::timeout;
use tracing::{info, warn};

use crate::link::{is_hash, random_hash};

const POOL_SIZE: u32 = 10;
/// To wait for a connection of the pool, or to make one.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(4);
/// PostgreSQL ends a statement after `STATEMENT_TIMEOUT`. If it says nothing at all, `QUERY_TIMEOUT` ends it.
const STATEMENT_TIMEOUT: &str = "4s";
const QUERY_TIMEOUT: Duration = Duration::from_millis(4_500);

#[derive(Clone)]
pub struct Links {
    pool: PgPool,
    away: Arc<AtomicBool>,
}

impl Links {
    /// Connects when the first statement comes, so that a server starts while its database is away.
    pub fn new(options: PgConnectOptions) -> Self {
        let options = options
            .options([("statement_timeout", STATEMENT_TIMEOUT)])
            .disable_statement_logging();
        let pool = PgPoolOptions::new()
            .max_connections(POOL_SIZE)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .acquire_slow_threshold(ACQUIRE_TIMEOUT) // no log line for each request that waits
            .connect_lazy_with(options);
        Self {
            pool,
            away: Arc::default(),
        }
    }

    /// The pool asks an idle connection for a sign of life, or makes a new one.
    pub async fn ping(&self) -> sqlx::Result<()> {
        self.note(self.pool.acquire().await.map(drop))
    }

    /// What is no hash is not asked for: PostgreSQL takes no U+0000 in a text.
    pub async fn find(&self, hash: &str) -> sqlx::Result<Option<String>> {
        if !is_hash(hash) {
            return Ok(None);
        }
        self.fetch(
            sqlx::query_scalar("select url from links where hash = $1").bind(hash.to_owned()),
        )
        .await
    }

    /// The new hash of a URL. If a hash is taken, the next one is tried.
    pub async fn add(&self, url: &str) -> sqlx::Result<String> {
        let insert =
            "insert into links (hash, url) values ($1, $2) on conflict do nothing returning hash";
        loop {
            let query = sqlx::query_scalar(insert)
                .bind(random_hash())
                .bind(url.to_owned());
            if let Some(hash) = self.fetch(query).await? {
                return Ok(hash);
            }
        }
    }

    async fn fetch(
        &self,
        query: QueryScalar<'static, Postgres, String, PgArguments>,
    ) -> sqlx::Result<Option<String>> {
        let result = async {
            let mut connection = self.pool.acquire().await?;
            // A task of its own, which goes on when the client leaves: a connection given back in the middle of a
            // statement would wait for PostgreSQL without an end.
            let statement = tokio::spawn(async move {
                match timeout(QUERY_TIMEOUT, query.fetch_optional(&mut *connection)).await {
                    Ok(row) => row,
                    Err(_) => {
                        connection.close_on_drop(); // the pool would wait for its answer
                        Err(io::Error::new(ErrorKind::TimedOut, "no answer to a statement").into())
                    }
                }
            });
            statement
                .await
                .unwrap_or_else(|error| resume_unwind(error.into_panic()))
        };
        self.note(result.await)
    }

    /// One log line for an outage, however many requests meet it.
    fn note<T>(&self, result: sqlx::Result<T>) -> sqlx::Result<T> {
        match &result {
            Ok(_) if self.away.swap(false, Relaxed) => info!("PostgreSQL answers again"),
            Err(error) if is_away(error) && !self.away.swap(true, Relaxed) => {
                warn!("PostgreSQL is away: {error}");
            }
            _ => {}
        }
        result
    }
}

/// PostgreSQL does not answer. Or it refuses: connection (08), log-in (28), no such database (3D), resources (53),
/// shutdown or a statement that takes too long (57). Any other error is a fault of ours.
pub fn is_away(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| {
            ["08", "28", "3D", "53", "57"]
                .iter()
                .any(|class| code.starts_with(class))
        }),
        _ => false,
    }
}

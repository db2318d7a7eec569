//! A shortener of links: axum and hyper answer HTTP, sqlx asks PostgreSQL.

mod app;
mod body;
mod framing;
mod link;
mod links;
mod problem;
mod server;
mod settings;

use anyhow::Context;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tracing::info;

use crate::links::Links;
use crate::settings::Settings;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .init();

    let Settings {
        host,
        port,
        postgres,
    } = Settings::from_env()?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let app = app::router(Links::new(postgres));
    let listener = TcpListener::bind((host.as_str(), port))
        .await
        .with_context(|| format!("HOST {host}, PORT {port}: cannot listen"))?;
    info!("listening on {}", listener.local_addr()?);

    server::serve(listener, app, async {
        tokio::select! {
            _ = terminate.recv() => info!("stopping on SIGTERM"),
            _ = interrupt.recv() => info!("stopping on SIGINT"),
        }
    })
    .await;
    info!("stopped");
    Ok(())
}

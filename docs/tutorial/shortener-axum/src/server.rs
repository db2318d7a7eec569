//! hyper's HTTP/1 server, with its limits. axum::serve has none: it takes no time-out for a head.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_io_timeout::TimeoutStream;
use tracing::{debug, error, warn};

/// Others wait in the kernel's queue.
const MAX_CONNECTIONS: usize = 8_192;
/// From the end of an answer to the end of the next head: an idle connection ends with it, too.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_HEAD: usize = 16 * 1024;
/// For a client that does not read its answers: hyper waits for it without end.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
const STOP_TIMEOUT: Duration = Duration::from_secs(9);

/// Serves connections until `stop`. Then it answers the requests that it has read.
pub async fn serve(listener: TcpListener, app: Router, stop: impl Future<Output = ()>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD);
    let service = TowerToHyperService::new(app);
    let graceful = GracefulShutdown::new();
    let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = accept(&listener, &slots) => accepted,
        };
        match accepted {
            Ok((stream, slot)) => {
                let connection = http.serve_connection(TokioIo::new(stream), service.clone());
                let connection = graceful.watch(connection);
                tokio::spawn(async move {
                    if let Err(error) = connection.await {
                        debug!("a connection ended: {error}"); // its client left, or was too slow
                    }
                    drop(slot);
                });
            }
            Err(error) => {
                error!("cannot accept a connection: {error}"); // such as too many open files
                sleep(Duration::from_secs(1)).await;
            }
        }
    }
    drop(listener);
    if timeout(STOP_TIMEOUT, graceful.shutdown()).await.is_err() {
        warn!(
            "{} s after the signal: the rest is cut",
            STOP_TIMEOUT.as_secs()
        );
    }
}

type Stream = Pin<Box<TimeoutStream<TcpStream>>>;

async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> io::Result<(Stream, OwnedSemaphorePermit)> {
    let slot = slots
        .clone()
        .acquire_owned()
        .await
        .map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(WRITE_TIMEOUT));
    Ok((Box::pin(stream), slot))
}

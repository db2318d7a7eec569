//! hyper takes a request without Host or with several, and codings before chunked. A proxy may read another request.

use axum::extract::Request;
use axum::http::{StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::problem::Problem;

/// Refuses a head that two parsers can read in two ways, and closes the connection.
pub async fn refuse_unsound(request: Request, next: Next) -> Response {
    let hosts = request.headers().get_all(header::HOST).iter().count();
    let is_old = request.version() == Version::HTTP_10;
    let mut codings = request.headers().get_all(header::TRANSFER_ENCODING).iter();
    let coding = codings.next();
    let is_chunked = coding.is_none_or(|coding| coding.as_bytes().eq_ignore_ascii_case(b"chunked"));
    if (hosts == 1 || is_old && hosts == 0) && is_chunked && codings.next().is_none() {
        return next.run(request).await;
    }
    let detail = "A request has one Host, and no transfer coding but chunked.";
    let problem = Problem::new(StatusCode::BAD_REQUEST, detail);
    ([(header::CONNECTION, "close")], problem).into_response()
}

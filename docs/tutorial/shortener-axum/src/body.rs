//! axum keeps each piece of a body in the buffer that it was read into. A body that comes byte by byte takes megabytes.

use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt;

use crate::problem::Problem;

pub const MAX_BODY: usize = 8_192;

/// Makes one piece of a body, and refuses one that is too large.
pub async fn gather(request: Request, next: Next) -> Result<Response, Problem> {
    let (head, mut body) = request.into_parts();
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let bad = |_| {
            Problem::new(
                StatusCode::BAD_REQUEST,
                "The body does not come to its end.",
            )
        };
        if let Some(piece) = frame.map_err(bad)?.data_ref() {
            if bytes.len() + piece.len() > MAX_BODY {
                let detail = format!("The body must have at most {MAX_BODY} bytes.");
                return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail));
            }
            bytes.extend_from_slice(piece);
        }
    }
    Ok(next.run(Request::from_parts(head, Body::from(bytes))).await)
}

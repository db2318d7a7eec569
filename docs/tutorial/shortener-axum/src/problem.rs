//! Every error is a problem (RFC 9457).

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection};
use axum::http::{StatusCode, header::CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tracing::error;

use crate::links::is_away;

#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    detail: String,
}

impl Problem {
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            status,
            detail: detail.into(),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = json!({
            "title": self.status.canonical_reason(),
            "status": self.status.as_u16(),
            "detail": self.detail,
        });
        (
            self.status,
            [(CONTENT_TYPE, "application/problem+json")],
            Json(body),
        )
            .into_response()
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        let status = match rejection.status() {
            StatusCode::UNPROCESSABLE_ENTITY => StatusCode::BAD_REQUEST,
            status => status,
        };
        Self::new(status, rejection.body_text())
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Self {
        Self::new(rejection.status(), rejection.body_text())
    }
}

impl From<sqlx::Error> for Problem {
    fn from(error: sqlx::Error) -> Self {
        if is_away(&error) {
            return Self::new(StatusCode::SERVICE_UNAVAILABLE, "The database is away.");
        }
        error!("a statement failed: {error}");
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "The server made a mistake.",
        )
    }
}

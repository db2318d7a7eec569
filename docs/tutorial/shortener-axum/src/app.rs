//! The routes.

use std::time::Duration;

use axum::extract::{FromRequest, FromRequestParts, Path, State};
use axum::http::{StatusCode, header::LOCATION};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use serde::Deserialize;
use tower_http::timeout::TimeoutLayer;

use crate::body;
use crate::framing;
use crate::link::{HttpUrl, Link};
use crate::links::Links;
use crate::problem::Problem;

/// Ends a body that comes too slowly: a handler alone takes 8.5 s at most.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Deserialize, FromRequest)]
#[from_request(via(Json), rejection(Problem))]
struct NewLink {
    url: HttpUrl,
}

#[derive(Deserialize, FromRequestParts)]
#[from_request(via(Path), rejection(Problem))]
struct Hash(String);

pub fn router(links: Links) -> Router {
    Router::new()
        .route("/healthz", get(health))
        .route(
            "/links",
            post(create).layer(middleware::from_fn(body::gather)),
        )
        .route("/links/{hash}", get(show))
        .route("/{hash}", get(lookup))
        .fallback(async || Problem::new(StatusCode::NOT_FOUND, "There is no such resource."))
        .method_not_allowed_fallback(async || {
            Problem::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "The resource does not have this method.",
            )
        })
        .layer(TimeoutLayer::with_status_code(
            StatusCode::REQUEST_TIMEOUT,
            REQUEST_TIMEOUT,
        ))
        .layer(middleware::from_fn(framing::refuse_unsound))
        .with_state(links)
}

async fn health(State(links): State<Links>) -> Result<&'static str, Problem> {
    links.ping().await?;
    Ok("ok")
}

async fn lookup(State(links): State<Links>, Hash(hash): Hash) -> Result<Response, Problem> {
    Ok(match links.find(&hash).await? {
        Some(url) => (StatusCode::MOVED_PERMANENTLY, [(LOCATION, url)]).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    })
}

async fn show(State(links): State<Links>, Hash(hash): Hash) -> Result<Json<Link>, Problem> {
    match links.find(&hash).await? {
        Some(url) => Ok(Json(Link { hash, url })),
        None => Err(Problem::new(
            StatusCode::NOT_FOUND,
            "There is no such link.",
        )),
    }
}

async fn create(
    State(links): State<Links>,
    NewLink { url: HttpUrl(url) }: NewLink,
) -> Result<impl IntoResponse, Problem> {
    let hash = links.add(&url).await?;
    let location = [(LOCATION, format!("/{hash}"))];
    Ok((StatusCode::CREATED, location, Json(Link { hash, url })))
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::http::Request;
    use axum::http::header::{CONTENT_TYPE, HOST};
    use serde_json::Value;
    use sqlx::postgres::PgConnectOptions;
    use tower::ServiceExt;

    use super::*;
    use crate::body::MAX_BODY;

    /// The status of an answer, which is a problem. No request of these needs the database.
    async fn problem(method: &str, path: &str, media_type: &str, body: String) -> u16 {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, "a")
            .header(CONTENT_TYPE, media_type)
            .body(Body::from(body))
            .unwrap();
        let app = router(Links::new(PgConnectOptions::new_without_pgpass()));
        let response = app.oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        assert_eq!(response.headers()[CONTENT_TYPE], "application/problem+json");
        let bytes = to_bytes(response.into_body(), MAX_BODY).await.unwrap();
        let problem: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(problem["status"], status);
        status
    }

    #[tokio::test]
    async fn a_bad_link_is_refused() {
        for body in ["", "{", "[]", "{}", r#"{"url":5}"#, r#"{"url":"/a"}"#] {
            let status = problem("POST", "/links", "application/json", body.to_owned()).await;
            assert_eq!(status, 400, "{body}");
        }
    }

    #[tokio::test]
    async fn a_body_of_another_size_or_type_is_refused() {
        let link = |length| format!(r#"{{"url":"{}"}}"#, "a".repeat(length));
        assert_eq!(
            problem("POST", "/links", "application/json", link(MAX_BODY)).await,
            413
        );
        assert_eq!(problem("POST", "/links", "text/plain", link(1)).await, 415);
    }

    #[tokio::test]
    async fn other_paths_and_methods_are_refused() {
        assert_eq!(
            problem("GET", "/a/b/c", "text/plain", String::new()).await,
            404
        );
        assert_eq!(
            problem("DELETE", "/links", "text/plain", String::new()).await,
            405
        );
    }
}

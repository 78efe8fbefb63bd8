//! What the server sends: ready bytes, JSON, and refusals in words.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use serde::Serialize;
use std::hash::{DefaultHasher, Hash, Hasher};

pub(crate) const JSON: &str = "application/json; charset=utf-8";

/// Headers of every answer: nothing from elsewhere runs, frames or learns of this page.
pub(crate) const GUARDS: [(HeaderName, HeaderValue); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
             frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        ),
    ),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (
        HeaderName::from_static("permissions-policy"),
        HeaderValue::from_static("camera=(), geolocation=(), microphone=()"),
    ),
];

/// Bytes that are written once, with the name of their content.
#[derive(Debug, Clone)]
pub(crate) struct Ready {
    bytes: axum::body::Bytes,
    kind: &'static str,
    tag: HeaderValue,
}

impl Ready {
    pub(crate) fn new(kind: &'static str, bytes: impl Into<axum::body::Bytes>) -> Self {
        let bytes = bytes.into();
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let tag = format!("\"{:016x}\"", hasher.finish());
        // Digits and quotes are always a header.
        let tag = HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""));
        Ready { bytes, kind, tag }
    }

    pub(crate) fn json(value: &impl Serialize) -> Self {
        Ready::new(JSON, json_bytes(value))
    }

    /// The bytes, or that they are still the same as those the browser has.
    pub(crate) fn answer(&self, asked: &HeaderMap) -> Response<Body> {
        let known = asked.get(header::IF_NONE_MATCH).is_some_and(|tag| tag == self.tag);
        let (status, body) = match known {
            true => (StatusCode::NOT_MODIFIED, Body::empty()),
            false => (StatusCode::OK, Body::from(self.bytes.clone())),
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        headers.insert(header::ETAG, self.tag.clone());
        response
    }
}

/// A request that is not answered, and why: `{"error": "…"}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) StatusCode, pub(crate) String);

impl Refusal {
    pub(crate) fn new(status: StatusCode, why: impl Into<String>) -> Self {
        Refusal(status, why.into())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response<Body> {
        #[derive(Serialize)]
        struct Why {
            error: String,
        }
        (self.0, Json(Why { error: self.1 })).into_response()
    }
}

/// A document of this moment.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response<Body> {
        let headers = [(header::CONTENT_TYPE, JSON), (header::CACHE_CONTROL, "no-store")];
        (headers, json_bytes(&self.0)).into_response()
    }
}

/// The documents hold numbers, texts, lists and maps with text for keys: nothing that could fail.
fn json_bytes(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

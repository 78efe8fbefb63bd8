//! The explorer without a server, for doors that carry requests themselves: a notebook's kernel.

use crate::routes::{Desk, router};
use crate::{Error, Explored};
use axum::Router;
use axum::body::{self, Body};
use axum::http::{Request, header};
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

/// Answers what the page asks. The routes, limits and refusals are the server's own; who may ask is the caller's business.
///
/// ```
/// use clausality::model::Model;
/// use clausality_web::{Explored, Explorer};
///
/// let network = clausality::embedded::network("asia")?;
/// let model = Model { network: network.into(), extra: Default::default(), source: "@asia".into() };
/// let explorer = Explorer::new(Explored::new(model, "@asia".into()))?;
/// let answer = explorer.answer("POST", "/api/posteriors", "application/json", br#"{"evidence": {"smoke": "yes"}}"#);
/// assert_eq!((answer.status, answer.kind.as_str()), (200, "application/json; charset=utf-8"));
/// assert_eq!(explorer.answer("GET", "/api/node/99", "", b"").status, 404);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Explorer {
    router: Router,
    runtime: Runtime,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status of HTTP: 200, or why not.
    pub status: u16,
    /// The type of the content.
    pub kind: String,
    /// The content; of a refusal `{"error": "…"}`.
    pub body: Vec<u8>,
}

impl Explorer {
    /// Prepares what is answered.
    ///
    /// # Errors
    /// A network whose coding is damaged; [`Error::Start`] where the operating system gives no threads.
    pub fn new(explored: Explored) -> Result<Self, Error> {
        let runtime = Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|error| Error::Start(error.to_string()))?;
        Ok(Explorer { router: router(Desk::new(explored)?), runtime })
    }

    /// The answer to a request: its method and path, the type of what it carries, and that itself. Requests of several threads are
    /// answered one after the other.
    ///
    /// # Panics
    /// On a thread that runs asynchronous work: this waits.
    pub fn answer(&self, method: &str, path: &str, kind: &str, body: &[u8]) -> Answer {
        let request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, kind);
        let Ok(request) = request.body(Body::from(body.to_vec())) else {
            return refused(400, "this is no request: expected a method, a path and a type of content");
        };
        self.runtime.block_on(async {
            let Ok(response) = self.router.clone().oneshot(request).await;
            let (head, body) = response.into_parts();
            let kind = head.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
            match body::to_bytes(body, usize::MAX).await {
                Ok(bytes) => Answer {
                    status: head.status.as_u16(),
                    kind: kind.unwrap_or_default().to_string(),
                    body: bytes.into(),
                },
                Err(error) => refused(500, &error.to_string()),
            }
        })
    }
}

fn refused(status: u16, why: &str) -> Answer {
    let body = serde_json::json!({ "error": why }).to_string().into_bytes();
    Answer { status, kind: crate::reply::JSON.to_string(), body }
}

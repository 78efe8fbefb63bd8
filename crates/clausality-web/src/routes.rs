//! What can be asked, and by which method.

use crate::answers::{About, Again, Answers, Decide, Known, bug, while_waiting};
use crate::documents::Documents;
use crate::other::Other;
use crate::page;
use crate::reply::{Json, Refusal};
use crate::revision::{Revisions, Wanted};
use crate::rows;
use crate::trial::{self, Tested};
use crate::{Error, Explored};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use clausality::folder as notes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The largest question, in bytes.
const QUESTION_BYTES: usize = 1 << 20;
/// The largest text with rows, in bytes.
const ROWS_BYTES: usize = 8 << 20;
/// What is still read of a body that is too large, so that its sender hears why.
const SPARE_BYTES: usize = 64 << 20;
/// How long a body may take to come.
const BODY_TIME: Duration = Duration::from_secs(20);
/// How long an answer may take.
const ANSWER_TIME: Duration = Duration::from_secs(120);

/// All that answers are made of.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) documents: Documents,
    pub(crate) answers: Answers,
    /// What takes longer than posteriors is answered beside them: bars do not wait for it.
    pub(crate) insights: Answers,
    /// And so is what was learned again, which takes longest.
    replicates: Answers,
    /// Learning again.
    revisions: Revisions,
    /// The network that the user named to hold against this one.
    against: Option<Arc<Other>>,
    /// Held by whoever writes into the run folder.
    keeping: tokio::sync::Mutex<()>,
    /// Held by whoever holds the network against rows.
    trying: Arc<tokio::sync::Mutex<()>>,
}

/// What is kept with a run, and whether anything is.
#[derive(Serialize)]
struct Kept {
    kept: bool,
    #[serde(flatten)]
    desk: notes::Desk,
}

type Shared = State<Arc<Desk>>;

impl Desk {
    pub(crate) fn new(explored: Explored) -> Result<Self, Error> {
        let mut explored = explored;
        let against = explored.against.take();
        let against = against.map(|(name, model)| Other::of(&explored, model, name)).transpose()?;
        let explored = Arc::new(explored);
        let answers = Answers::start(explored.clone())?;
        let insights = Answers::start(explored.clone())?;
        let replicates = Answers::start(explored.clone())?;
        let revisions = Revisions::new(explored.clone());
        let documents = Documents::new(explored, &answers, against.is_some())?;
        Ok(Desk {
            documents,
            answers,
            insights,
            replicates,
            revisions,
            against: against.map(Arc::new),
            keeping: Default::default(),
            trying: Default::default(),
        })
    }

    /// The network beside this one: what was learned again, else what the user named.
    fn other(&self) -> Result<Arc<Other>, Refusal> {
        let none = || Refusal::new(StatusCode::NOT_FOUND, "there is no other network to compare with");
        self.revisions.other().or_else(|| self.against.clone()).ok_or_else(none)
    }
}

/// Whoever lets requests in from elsewhere puts a gate before it.
pub(crate) fn router(desk: Desk) -> Router {
    let mut router = Router::new()
        .route("/api/network", get(network))
        .route("/api/node/{index}", get(node))
        .route("/api/posteriors", post(posteriors))
        .route("/api/explanation", post(explanation))
        .route("/api/informed", post(informed))
        .route("/api/replicates", post(replicates))
        .route("/api/decision", post(decision))
        .route("/api/trial", get(trial))
        .route("/api/other", get(other))
        .route("/api/contrast", post(contrast))
        .route("/api/revision", get(revision).post(revise).delete(end_revision))
        .route("/api/exam", post(examine))
        .route("/api/desk", get(desk_of_run).post(keep))
        .route("/api/rows", post(code_rows))
        .route("/api/rows/{number}", get(row))
        .route("/report.html", get(report))
        .route("/drawing.svg", get(drawing))
        .route("/network.bif", get(bif));
    for (path, file) in page::files() {
        router = router.route(&path, get(move |asked: HeaderMap| async move { file.answer(&asked) }));
    }
    router
        .fallback(async || Refusal::new(StatusCode::NOT_FOUND, "there is nothing of this name here"))
        .method_not_allowed_fallback(async || {
            Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "this cannot be asked with this method")
        })
        .with_state(Arc::new(desk))
}

async fn network(State(desk): Shared, asked: HeaderMap) -> Response<Body> {
    desk.documents.network.answer(&asked)
}

async fn drawing(State(desk): Shared, asked: HeaderMap) -> Response<Body> {
    desk.documents.drawing.answer(&asked)
}

async fn bif(State(desk): Shared, asked: HeaderMap) -> Response<Body> {
    let mut response = desk.documents.bif.answer(&asked);
    let kept = HeaderValue::from_static("attachment; filename=\"network.bif\"");
    response.headers_mut().insert(header::CONTENT_DISPOSITION, kept);
    response
}

async fn node(State(desk): Shared, Path(index): Path<String>) -> Result<Response<Body>, Refusal> {
    let node = index.parse().ok().and_then(|index| desk.documents.node(index));
    let none = || Refusal::new(StatusCode::NOT_FOUND, "there is no node of this number");
    Ok(Json(node.ok_or_else(none)?).into_response())
}

async fn row(State(desk): Shared, Path(number): Path<String>) -> Result<Response<Body>, Refusal> {
    let row = number.parse().ok().and_then(|number| desk.documents.row(number));
    let none = || Refusal::new(StatusCode::NOT_FOUND, "there is no row of this number");
    Ok(Json(row.ok_or_else(none)?).into_response())
}

async fn posteriors(State(desk): Shared, request: Request) -> Result<Response<Body>, Refusal> {
    let known = question::<Known>(request, KNOWN).await?;
    Ok(Json(answered(desk.answers.posteriors(known)?).await?).into_response())
}

async fn explanation(State(desk): Shared, request: Request) -> Result<Response<Body>, Refusal> {
    let known = question::<Known>(request, KNOWN).await?;
    Ok(Json(answered(desk.answers.explanation(known)?).await?).into_response())
}

async fn informed(State(desk): Shared, request: Request) -> Result<Response<Body>, Refusal> {
    let about = question::<About>(request, ABOUT).await?;
    // Dropped with the request: whoever asks about something else meanwhile does not wait for this.
    let (answer, _here) = desk.insights.informed(about)?;
    Ok(Json(answered(answer).await?).into_response())
}

async fn decision(State(desk): Shared, request: Request) -> Result<Response<Body>, Refusal> {
    let decide = question::<Decide>(request, DECIDE).await?;
    let (answer, _here) = desk.insights.decided(decide)?;
    Ok(Json(answered(answer).await?).into_response())
}

/// The second band, over what was learned again: after the bars, for the nodes that somebody looks at.
async fn replicates(State(desk): Shared, request: Request) -> Result<Response<Body>, Refusal> {
    let again = question::<Again>(request, AGAIN).await?;
    let (answer, _here) = desk.replicates.replicated(again)?;
    Ok(Json(answered(answer).await?).into_response())
}

/// The network held against the rows at hand: one trial at a time, called off when nobody waits for it.
async fn trial(State(desk): Shared) -> Result<Response<Body>, Refusal> {
    let busy = |_| Refusal::new(StatusCode::CONFLICT, "it is being tested already: wait for it");
    let alone = desk.trying.clone().try_lock_owned().map_err(busy)?;
    let (_here, gone) = while_waiting();
    let look = move || {
        let _alone = alone;
        trial::on_trial(&desk.documents, gone)
    };
    let found = timeout(ANSWER_TIME, tokio::task::spawn_blocking(look)).await;
    let late = |_| Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "it takes too long: ask `clausality test`");
    let found = found.map_err(late)?.map_err(|_| bug())?;
    let found = found.map_err(|why| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why))?;
    Ok(Json(found).into_response())
}

async fn other(State(desk): Shared) -> Result<Response<Body>, Refusal> {
    Ok(Json(desk.other()?.document()).into_response())
}

/// The same question to both networks.
async fn contrast(State(desk): Shared, request: Request) -> Result<Response<Body>, Refusal> {
    let known = question::<Known>(request, KNOWN).await?;
    let other = desk.other()?;
    let (here, there) = (desk.answers.posteriors(known.clone())?, other.ask(known)?);
    let (here, there) = (answered(here).await?, answered(there).await?);
    Ok(Json(other.beside(&here, &there)).into_response())
}

async fn revision(State(desk): Shared) -> Response<Body> {
    Json(desk.revisions.told()).into_response()
}

async fn revise(State(desk): Shared, request: Request) -> Result<Response<Body>, Refusal> {
    let wanted = question::<Wanted>(request, EDITS).await?;
    Ok(Json(desk.revisions.start(wanted)?).into_response())
}

async fn end_revision(State(desk): Shared) -> Response<Body> {
    Json(desk.revisions.end()).into_response()
}

/// What is kept with the run.
async fn desk_of_run(State(desk): Shared) -> Result<Response<Body>, Refusal> {
    let Some(folder) = desk.documents.explored().keeps.clone() else {
        return Ok(Json(Kept { kept: false, desk: notes::Desk::default() }).into_response());
    };
    let read = tokio::task::spawn_blocking(move || notes::Desk::read(&folder)).await.map_err(|_| bug())?;
    let found = read.map_err(|why| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why.to_string()))?;
    Ok(Json(Kept { kept: true, desk: found }).into_response())
}

/// Keeps it there, one page after the other.
async fn keep(State(desk): Shared, request: Request) -> Result<Response<Body>, Refusal> {
    let wanted = question::<notes::Desk>(request, DESK).await?;
    let none = || Refusal::new(StatusCode::NOT_FOUND, "this is no run folder: nothing is kept with it");
    let folder = desk.documents.explored().keeps.clone().ok_or_else(none)?;
    let _one_at_a_time = desk.keeping.lock().await;
    let write = tokio::task::spawn_blocking(move || wanted.write(&folder).map(|()| wanted));
    let kept = write.await.map_err(|_| bug())?;
    let kept = kept.map_err(|why| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why.to_string()))?;
    Ok(Json(Kept { kept: true, desk: kept }).into_response())
}

/// The report of the run, with the scenarios that are kept with it.
async fn report(State(desk): Shared) -> Result<Response<Body>, Refusal> {
    let write = tokio::task::spawn_blocking(move || desk.documents.report()).await.map_err(|_| bug())?;
    let page = write.map_err(|why| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why))?;
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    // To be kept, not to be shown from here.
    let kept = HeaderValue::from_static("attachment; filename=\"report.html\"");
    Ok(([kind, (header::CONTENT_DISPOSITION, kept)], page).into_response())
}

/// A target predicted on the rows at hand, or on those that the page sends.
async fn examine(State(desk): Shared, request: Request) -> Result<Response<Body>, Refusal> {
    let asked = form::<Tested>(request, TESTED, ROWS_BYTES).await?;
    let test = move || trial::examine(&desk.documents, &asked);
    let found = tokio::task::spawn_blocking(test).await.map_err(|_| bug())?;
    let found = found.map_err(|why| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why))?;
    Ok(Json(found).into_response())
}

async fn code_rows(State(desk): Shared, request: Request) -> Result<Response<Body>, Refusal> {
    let text = body(request, "text/csv", ROWS_BYTES).await?;
    let coding = move || rows::code(&desk.documents.coding, desk.documents.schema(), &text);
    let coded = tokio::task::spawn_blocking(coding).await.map_err(|_| bug())?;
    let coded = coded.map_err(|why| Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, why))?;
    Ok(Json(coded).into_response())
}

async fn answered<T>(answer: oneshot::Receiver<Result<T, Refusal>>) -> Result<T, Refusal> {
    let late = |_| {
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the answer takes too long: ask with less evidence")
    };
    timeout(ANSWER_TIME, answer).await.map_err(late)?.map_err(|_| bug())?
}

/// What a question looks like.
const KNOWN: &str =
    "{\"evidence\": {NODE: STATE | [STATE, …]}, \"likely\": {NODE: {STATE: NUMBER}}, \"do\": {NODE: STATE}}";
const EDITS: &str = "{\"edits\": [{\"wish\": \"turn\" | \"remove\" | \"require\" | \"forbid\", \"parent\": NODE, \"child\": NODE}]}";
const TESTED: &str = "{\"target\": NODE, \"csv\": ROWS}";
const DESK: &str = "{\"scenarios\": [{\"name\": TEXT, \"text\": FRAGMENT}], \"places\": {NODE: [X, Y]}}";
const ABOUT: &str = "{\"target\": NODE, \"evidence\": {NODE: STATE | [STATE, …]}, \"likely\": {NODE: {STATE: NUMBER}}, \"do\": {NODE: STATE}, \"nearest\": COUNT}";
const DECIDE: &str = "{\"decide\": {\"utility\": [{\"when\": {NODE: STATE}, \"value\": NUMBER}], \"action\": [{\"do\": {NODE: STATE}, \"cost\": NUMBER}]}, \"evidence\": …, \"likely\": …, \"do\": …}";
const AGAIN: &str = "{\"nodes\": [NUMBER, …], \"evidence\": {NODE: STATE | [STATE, …]}, \"likely\": {NODE: {STATE: NUMBER}}, \"do\": {NODE: STATE}}";

async fn question<T: DeserializeOwned>(request: Request, expected: &str) -> Result<T, Refusal> {
    form(request, expected, QUESTION_BYTES).await
}

async fn form<T: DeserializeOwned>(request: Request, expected: &str, most: usize) -> Result<T, Refusal> {
    let bytes = body(request, "application/json", most).await?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let why = format!("expected {expected}: {error}");
        Refusal::new(StatusCode::BAD_REQUEST, why)
    })
}

/// The body of a request, within a size and a time.
async fn body(request: Request, kind: &str, most: usize) -> Result<Bytes, Refusal> {
    let said =
        request.headers().get(header::CONTENT_TYPE).and_then(|said| said.to_str().ok()).unwrap_or_default();
    if !said.split(';').next().is_some_and(|said| said.trim().eq_ignore_ascii_case(kind)) {
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, format!("send this as {kind}")));
    }
    let late = |_| Refusal::new(StatusCode::REQUEST_TIMEOUT, "the request came too slowly");
    timeout(BODY_TIME, read(request.into_body(), most)).await.map_err(late)?
}

async fn read(body: Body, most: usize) -> Result<Bytes, Refusal> {
    use axum::body::HttpBody;
    let expected = body.size_hint().lower();
    if expected > SPARE_BYTES as u64 {
        return Err(too_large(most));
    }
    let mut body = std::pin::pin!(body);
    let (mut bytes, mut length) = (Vec::new(), 0);
    while let Some(frame) = std::future::poll_fn(|context| body.as_mut().poll_frame(context)).await {
        let broken = |_| Refusal::new(StatusCode::BAD_REQUEST, "the request broke off");
        let Ok(data) = frame.map_err(broken)?.into_data() else { continue };
        length += data.len();
        if length > SPARE_BYTES {
            break;
        }
        if length <= most {
            bytes.extend_from_slice(&data);
        }
    }
    if length > most { Err(too_large(most)) } else { Ok(bytes.into()) }
}

fn too_large(most: usize) -> Refusal {
    let why = format!("this is more than the {} MiB that are read here", most >> 20);
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, why)
}

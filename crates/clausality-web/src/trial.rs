//! The network held against rows: those at hand, or such as the page has.

use crate::documents::Documents;
use crate::rows;
use clausality::Watch;
use clausality::bn::infer::Stop;
use clausality::data::{Absent, Bounds, Input};
use clausality::model::{Exam, HiddenCause, Reading, Rows};
use serde::Deserialize;
use serde_json::Value;

/// Violated independences that go to the page.
const SHOWN: usize = 50;

/// What is to be tested.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tested {
    target: String,
    /// Rows that the page has; without any those at hand are taken.
    #[serde(default)]
    csv: Option<String>,
}

/// Holds the network against rows.
pub(crate) fn examine(documents: &Documents, asked: &Tested) -> Result<Exam, String> {
    let explored = documents.explored();
    let target = documents.schema().index(&asked.target);
    let target = target.ok_or_else(|| format!("there is no node {:?}", asked.target))?;
    let bounds = Bounds { memory: Some(explored.memory_limit), ..Bounds::default() };
    let found = match (&asked.csv, &explored.rows) {
        (Some(text), _) => {
            rows::read(&documents.coding, documents.schema(), text.as_bytes())?;
            // The same with what the rows weigh.
            let input = Input::csv(text.as_bytes(), "the rows");
            Rows::read(&explored.model, input, &Reading::default(), Absent::Unknown, &bounds)
                .and_then(|rows| explored.model.examine(target, &rows, &bounds))
        }
        (None, Some(rows)) => explored.model.examine(target, rows, &bounds),
        (None, None) => return Err("there are no rows to test with: paste some, or name a table".into()),
    };
    found.map_err(|error| error.to_string())
}

/// Whether somebody still waits.
struct Waiting(Stop);

impl Watch for Waiting {
    fn cancelled(&self) -> bool {
        self.0.is_asked()
    }
}

/// Holds the network against the rows at hand, as `clausality test` does: its document, with what speaks against either direction of a marked pair in words.
pub(crate) fn on_trial(documents: &Documents, gone: Stop) -> Result<Value, String> {
    let explored = documents.explored();
    let Some(rows) = &explored.rows else {
        return Err("there are no rows to test with: name a table".into());
    };
    let found = explored.model.test(rows, None, explored.seed, &Waiting(gone));
    let mut found = found.map_err(|error| error.to_string())?;
    found.independences.retain(|pair| pair.violated);
    found.independences.truncate(SHOWN);
    let against = |cause: &HiddenCause<'_>| {
        let [one, other] = cause.between;
        [cause.against[0].in_words(one, other), cause.against[1].in_words(other, one)]
    };
    let words: Vec<[String; 2]> = found.hidden.iter().map(against).collect();
    let mut document = serde_json::to_value(&found).map_err(|error| error.to_string())?;
    for (mark, words) in document["hidden"].as_array_mut().into_iter().flatten().zip(words) {
        mark["against"] = words.as_slice().into();
    }
    Ok(document)
}

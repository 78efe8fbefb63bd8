//! Columns that say what a part of a date says: a column `month` beside the month of a time stamp, a year in a study's name, the same date
//! written twice.
//!
//! Parts are compared by their states. A number that was cut is held against parts that come round again only: whatever rises with
//! the years, prices say, would seem to follow from the year.

use super::{FEW_ROWS, FUNCTION, Joint, NEAR_COPY, NEARLY_ALL, are_enough, are_minority};
use crate::data::coding::{CodedVariable, StateRule};
use crate::data::twin::{Relation, Twin};
use clausality_bn::Scale;

/// The columns that repeat a part of a date, each named once.
pub(in crate::data) fn look(variables: &[CodedVariable], columns: &[Vec<u8>], rows: usize) -> Vec<Twin> {
    if rows < FEW_ROWS {
        return Vec::new();
    }
    let is_part = |v: &CodedVariable| matches!(v.rule, StateRule::Date { .. } | StateRule::Periods { .. });
    let parts: Vec<usize> = (0..variables.len()).filter(|&v| is_part(&variables[v])).collect();
    let pairs = (parts.len() * variables.len()).max(1) as f64;
    let mut found: Vec<Twin> = Vec::new();
    for (place, other) in variables.iter().enumerate() {
        let earlier = |&part: &usize| !is_part(other) || part < place;
        let named = found.iter().any(|twin| twin.leave_out == other.column);
        for &part in parts.iter().filter(|&part| earlier(part) && !named) {
            let date = &variables[part];
            if date.column == other.column {
                continue;
            }
            let joint = Joint::of(&columns[place], &columns[part]);
            let Some(relation) = relation(&joint, other, date, rows, pairs) else { continue };
            let in_blocks = || !Joint::of_stretches(&columns[place], &columns[part]).is_no_accident(pairs);
            if are_minority(joint.rows(), rows) && in_blocks() {
                continue;
            }
            let (name, of) = (&other.variable.name, &date.variable.name);
            let mut twin = Twin::new(name, &[of], relation, joint.agree(), joint.rows());
            twin.leave_out.clone_from(&other.column);
            twin.date = Some(date.column.clone());
            twin.tell_of_gaps(rows);
            found.push(twin);
            break;
        }
    }
    found
}

fn relation(
    joint: &Joint,
    other: &CodedVariable,
    date: &CodedVariable,
    rows: usize,
    pairs: f64,
) -> Option<Relation> {
    let cut = matches!(other.rule, StateRule::Cuts(_));
    let n = joint.rows();
    if !are_enough(n, rows) || (cut && date.variable.scale != Scale::Circular) {
        return None;
    }
    let turned = joint.turned();
    let (of_other, of_date) = (joint.known()?, turned.known()?);
    let agree = joint.agree().min(turned.agree());
    if !joint.is_no_accident(pairs) {
        return None;
    }
    match of_other.min(of_date) >= NEAR_COPY && agree as f64 >= NEARLY_ALL * n as f64 {
        true if agree == n => Some(Relation::Copy),
        true => Some(Relation::NearCopy),
        false => (of_other >= FUNCTION).then_some(Relation::Function),
    }
}

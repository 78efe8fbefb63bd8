//! Rows as searches see them: columns in the order of names, states in the order of labels.

use clausality_bn::counts::Blocks;
use clausality_bn::{Scale, Schema, Variable};

/// Blocks of rows, their columns in the order of names.
pub(super) struct View<'b> {
    rows: &'b dyn Blocks,
    by_name: Vec<usize>,
    places: Vec<Option<Vec<u8>>>,
    states: Vec<usize>,
    has_gaps: Vec<bool>,
}

impl<'b> View<'b> {
    pub(super) fn by_name(schema: &Schema, rows: &'b dyn Blocks) -> Self {
        let by_name = schema.in_name_order();
        View {
            places: by_name.iter().map(|&v| places_by_label(schema.variable(v))).collect(),
            states: by_name.iter().map(|&v| rows.states()[v]).collect(),
            has_gaps: by_name.iter().map(|&v| rows.has_gaps()[v]).collect(),
            by_name,
            rows,
        }
    }
}

impl Blocks for View<'_> {
    fn states(&self) -> &[usize] {
        &self.states
    }

    fn has_gaps(&self) -> &[bool] {
        &self.has_gaps
    }

    fn blocks(&self) -> usize {
        self.rows.blocks()
    }

    fn read(&self, block: usize, variable: usize, codes: &mut Vec<u8>) -> bool {
        let read = self.rows.read(block, self.by_name[variable], codes);
        if let Some(places) = &self.places[variable] {
            codes.iter_mut().for_each(|code| *code = places[usize::from(*code)]);
        }
        read
    }
}

/// The place of every code in the order of labels, if a variable's states have no order of their own and stand in another.
pub(crate) fn places_by_label(variable: &Variable) -> Option<Vec<u8>> {
    let values = variable.cardinality() - usize::from(variable.has_missing_state);
    let labels = &variable.states[..values];
    if variable.scale != Scale::Nominal || labels.is_sorted() {
        return None;
    }
    let mut order: Vec<usize> = (0..values).collect();
    order.sort_by_key(|&code| &labels[code]);
    let mut places: Vec<u8> = (0..=u8::MAX).collect();
    order.iter().enumerate().for_each(|(i, &code)| places[code] = i as u8);
    Some(places)
}

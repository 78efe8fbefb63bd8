//! Codings for the variables of a given schema: from its labels alone, or part of a fitted one.

use crate::data::coding::{CodedVariable, Coding, StateRule};
use clausality_bn::{Schema, Variable};

impl Coding {
    /// The coding under which a cell is the state of its own label (`1.0` is the label `1`), whatever else stands in the
    /// column being unknown. `na` are the cells that mean "no value", as far as they are no labels.
    pub fn of_labels(schema: &Schema, na: &[String]) -> Self {
        let coded = |variable: &Variable| {
            let recorded = variable.states.len() - usize::from(variable.has_missing_state);
            let levels = variable.states[..recorded].to_vec();
            let rule = StateRule::Levels { levels, other: false, by_value: true };
            CodedVariable { column: variable.name.clone(), variable: variable.clone(), rule }
        };
        let is_label = |mark: &String| schema.variables().iter().any(|v| v.states.contains(mark));
        let na: Vec<String> = na.iter().filter(|mark| !is_label(mark)).cloned().collect();
        Coding::new(schema.variables().iter().map(coded).collect(), na.into())
    }

    /// The same coding with each variable under other names, as many as there are.
    pub(crate) fn under_names(&self, names: impl Fn(&str) -> Vec<String>) -> Self {
        let copies = self.variables().iter().flat_map(|coded| {
            names(&coded.variable.name).into_iter().map(|name| {
                let variable = Variable { name, ..coded.variable.clone() };
                CodedVariable { variable, ..coded.clone() }
            })
        });
        Coding::new(copies.collect(), self.marks().clone())
    }

    /// The same coding for those of its variables that the schema names; other columns are not needed any more.
    pub fn restricted(&self, schema: &Schema) -> Self {
        let named = |coded: &&CodedVariable| schema.index(&coded.variable.name).is_some();
        Coding::new(self.variables().iter().filter(named).cloned().collect(), self.marks().clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Absent, Bounds, DataSettings, Input};
    use clausality_bn::MISSING;

    #[test]
    fn cells_are_states_by_label() {
        let mut gappy = Variable::new("b", ["x", "y", "none"]);
        gappy.has_missing_state = true;
        let schema = Schema::new(vec![Variable::new("a", ["NA", "1", "2"]), gappy]).unwrap();
        let coding = Coding::of_labels(&schema, &DataSettings::default().na.all);
        let text = "b,other,a\nx,1,NA\ny,1,1.0\n,1,2\n?,1,9\nz,1,\n";
        let coded =
            coding.apply(Input::csv(text.as_bytes(), "t"), &Bounds::default(), Absent::Refuse).unwrap();
        assert_eq!(coded.table.schema(), &schema);
        assert_eq!(coded.table.column(0), [0, 1, 2, MISSING, MISSING]);
        assert_eq!(coded.table.column(1), [0, 1, 2, 2, MISSING]);
        assert_eq!(coded.unknown.into_iter().collect::<Vec<_>>(), [("a".into(), 1), ("b".into(), 1)]);
        assert_eq!(coded.missing.into_iter().collect::<Vec<_>>(), [("a".into(), 1), ("b".into(), 2)]);
        let part = Schema::new(vec![Variable::new("a", ["NA"])]).unwrap();
        let less = coding.restricted(&part).apply(
            Input::csv("a\n2\n".as_bytes(), "t"),
            &Bounds::default(),
            Absent::Refuse,
        );
        assert_eq!(less.unwrap().table.column(0), [2]);
        let absent =
            coding.apply(Input::csv("a,c\n1,x\n".as_bytes(), "t"), &Bounds::default(), Absent::Refuse);
        assert!(absent.unwrap_err().to_string().contains("'b'"));
    }

    #[test]
    fn truth_values_are_known_however_they_are_written() {
        let states = |text: &str, labels: [&str; 2]| {
            let schema = Schema::new(vec![Variable::new("a", labels)]).unwrap();
            let coding = Coding::of_labels(&schema, &[]);
            let input = Input::csv(text.as_bytes(), "t");
            coding.apply(input, &Bounds::default(), Absent::Refuse).unwrap().table.column(0).to_vec()
        };
        assert_eq!(states("a\ntrue\nFALSE\nTrue\n", ["True", "False"]), [0, 1, 0]);
        assert_eq!(states("a\nTrue\nfalse\n", ["false", "true"]), [1, 0]);
        // Other words are as they are written, and so are truth values that are told apart.
        assert_eq!(states("a\nYes\nyes\n", ["yes", "no"]), [MISSING, 0]);
        assert_eq!(states("a\nTRUE\ntrue\n", ["true", "True"]), [MISSING, 0]);
    }
}

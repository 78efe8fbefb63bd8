//! A table of codes under a schema.

use crate::{Error, Schema};

/// The code of a cell that holds no value.
///
/// A learning table normally has none: its reader gives a column with gaps a state of its own for them
/// ([`crate::Variable::has_missing_state`]). Rows that are to be predicted under a given schema may have some.
pub const MISSING: u8 = 255;

/// Columns of codes; every code names a state of its variable or is [`MISSING`]. There are at most `u32::MAX` rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    schema: Schema,
    columns: Vec<Vec<u8>>,
    rows: usize,
}

impl Table {
    /// Checks the codes against the schema and builds the table.
    pub fn new(schema: Schema, columns: Vec<Vec<u8>>) -> Result<Self, Error> {
        if columns.len() != schema.len() {
            return Err(Error::ColumnCount { columns: columns.len(), variables: schema.len() });
        }
        let rows = columns.first().map_or(0, Vec::len);
        if u32::try_from(rows).is_err() {
            return Err(Error::Rows { rows, max: u32::MAX as usize });
        }
        for (variable, column) in schema.variables().iter().zip(&columns) {
            if column.len() != rows {
                return Err(Error::RowCount {
                    variable: variable.name.clone(),
                    rows: column.len(),
                    expected: rows,
                });
            }
            let states = variable.cardinality();
            if let Some(row) = column.iter().position(|&c| c as usize >= states && c != MISSING) {
                return Err(Error::Code { variable: variable.name.clone(), row, code: column[row], states });
            }
        }
        Ok(Table { schema, columns, rows })
    }

    /// A table whose codes are known to be right.
    pub(crate) fn trusted(schema: Schema, columns: Vec<Vec<u8>>, rows: usize) -> Self {
        debug_assert!(Table::new(schema.clone(), columns.clone()).is_ok());
        Table { schema, columns, rows }
    }

    /// The schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The codes of one variable.
    pub fn column(&self, variable: usize) -> &[u8] {
        &self.columns[variable]
    }

    /// The schema and the codes of every variable: for whoever keeps them in another form.
    pub fn into_columns(self) -> (Schema, Vec<Vec<u8>>) {
        (self.schema, self.columns)
    }

    /// Whether any cell is [`MISSING`].
    pub fn has_missing(&self) -> bool {
        self.columns.iter().any(|c| c.contains(&MISSING))
    }

    /// The rows in which no cell is [`MISSING`].
    pub fn complete_rows(&self) -> Vec<usize> {
        let whole = |row: &usize| self.columns.iter().all(|column| column[*row] != MISSING);
        (0..self.rows).filter(whole).collect()
    }

    /// The same rows under another schema: its variables are found by name and their codes by state label. Columns that
    /// the schema does not hold are left out; a variable without a column, or a value that is none of its states, is an
    /// error that names it.
    pub fn recoded(&self, schema: &Schema) -> Result<Table, Error> {
        let mut columns = Vec::with_capacity(schema.len());
        for variable in schema.variables() {
            let from = self.schema.require(&variable.name)?;
            let labels = &self.schema.variable(from).states;
            let codes: Vec<Option<u8>> = labels.iter().map(|label| variable.code(label)).collect();
            let code = |&c: &u8| if c == MISSING { Some(MISSING) } else { codes[usize::from(c)] };
            let column: Option<Vec<u8>> = self.columns[from].iter().map(code).collect();
            columns.push(column.ok_or_else(|| {
                let odd = self.columns[from].iter().position(|c| code(c).is_none());
                let row = odd.unwrap_or_default();
                let label = &labels[usize::from(self.columns[from][row])];
                let reason = format!("the value '{label}' in row {row} is none of its states");
                Error::Mismatch { variable: variable.name.clone(), reason }
            })?);
        }
        Ok(Table { schema: schema.clone(), columns, rows: self.rows })
    }

    /// The table of the given rows, in that order (a row may stand twice).
    pub fn select_rows(&self, rows: &[usize]) -> Table {
        let columns = self.columns.iter().map(|c| rows.iter().map(|&r| c[r]).collect()).collect();
        Table { schema: self.schema.clone(), columns, rows: rows.len() }
    }

    /// The table of the given variables, in that order.
    pub fn select_variables(&self, variables: &[usize]) -> Result<Table, Error> {
        let schema = Schema::new(variables.iter().map(|&v| self.schema.variable(v).clone()).collect())?;
        let columns = variables.iter().map(|&v| self.columns[v].clone()).collect();
        Ok(Table { schema, columns, rows: self.rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variable;

    #[test]
    fn refuses_codes_without_a_state() {
        let schema = Schema::new(vec![Variable::new("a", ["x", "y"])]).unwrap();
        assert!(Table::new(schema.clone(), vec![vec![0, 1, MISSING]]).is_ok());
        assert!(matches!(Table::new(schema, vec![vec![0, 2]]), Err(Error::Code { row: 1, code: 2, .. })));
    }
}

//! Columns that go out: rows drawn, coded, scored. Anybody who knows Arrow reads them without a copy; for whoever does not, each column is
//! given as bytes.

use crate::errors::Failure;
use crate::table::{array, batch};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt8Type};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator,
    RecordBatchOptions, StringArray, UInt8Array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{DataType, Field, Schema};
use clausality::bn::{MISSING, Scale, Table, Variable};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyCapsule, PyList, PyTuple};
use std::sync::Arc;

/// Columns of one length.
#[pyclass(frozen, module = "clausality._clausality")]
pub(crate) struct Columns {
    batch: RecordBatch,
}

/// A column on its way out.
pub(crate) type Named = (Field, ArrayRef);

impl Columns {
    /// Columns of so many rows; there may be rows and no column.
    pub(crate) fn new(rows: usize, columns: Vec<Named>) -> Result<Self, Failure> {
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().unzip();
        let rows = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &rows);
        let batch = batch.map_err(|error| Failure::Input(error.to_string()))?;
        Ok(Columns { batch })
    }

    /// A table of codes: every column by the labels of its states. The codes themselves go out, not a copy of them.
    pub(crate) fn coded(table: Table) -> Result<Self, Failure> {
        let rows = table.rows();
        let (schema, columns) = table.into_columns();
        let columns =
            schema.variables().iter().zip(columns).map(|(variable, column)| codes(variable, column));
        Columns::new(rows, columns.collect())
    }
}

/// Codes by the labels of a variable's states.
pub(crate) fn codes(variable: &Variable, codes: Vec<u8>) -> Named {
    let (field, array) = labelled(&variable.name, &variable.states, codes);
    (field.with_dict_is_ordered(variable.scale == Scale::Ordered), array)
}

/// Places in a list of labels; [`MISSING`] is none.
pub(crate) fn labelled(name: &str, labels: &[String], mut codes: Vec<u8>) -> Named {
    let known = || BooleanBuffer::collect_bool(codes.len(), |row| codes[row] != MISSING);
    let nulls = codes.contains(&MISSING).then(|| NullBuffer::new(known()));
    // A place that is null must still be one of the list.
    codes.iter_mut().filter(|code| **code == MISSING).for_each(|code| *code = 0);
    let keys = UInt8Array::new(codes.into(), nulls);
    let labels: StringArray = labels.iter().map(Some).collect();
    let array: DictionaryArray<UInt8Type> = DictionaryArray::new(keys, Arc::new(labels));
    (Field::new(name, array.data_type().clone(), true), Arc::new(array))
}

/// Numbers; nothing is a gap.
pub(crate) fn numbers(name: &str, values: impl IntoIterator<Item = Option<f64>>) -> Named {
    (Field::new(name, DataType::Float64, true), Arc::new(values.into_iter().collect::<Float64Array>()))
}

/// Whole numbers.
pub(crate) fn whole(name: &str, values: impl IntoIterator<Item = i64>) -> Named {
    (Field::new(name, DataType::Int64, true), Arc::new(Int64Array::from_iter_values(values)))
}

/// Texts.
pub(crate) fn texts<'t>(name: &str, values: impl IntoIterator<Item = Option<&'t str>>) -> Named {
    (Field::new(name, DataType::Utf8, true), Arc::new(values.into_iter().collect::<StringArray>()))
}

#[pymethods]
impl Columns {
    /// Columns of Python's, in the form in which pieces of tables come in.
    #[staticmethod]
    fn of(names: Vec<String>, rows: usize, columns: &Bound<'_, PyList>) -> PyResult<Self> {
        Ok(Columns { batch: batch(&names, rows, columns)? })
    }

    /// Columns as [`Columns::column`] gave them: what was pickled.
    #[staticmethod]
    fn restored(names: Vec<String>, rows: usize, columns: &Bound<'_, PyList>) -> PyResult<Self> {
        let restored = |(name, column): (&String, Bound<'_, PyAny>)| -> PyResult<Named> {
            let column = column.cast::<PyTuple>()?;
            if let Ok((_, places, labels, ordered)) =
                column.extract::<(String, PyBackedBytes, Vec<String>, bool)>()
            {
                let (places, _) = places.as_chunks::<4>();
                let places = places.iter().map(|&place| i32::from_ne_bytes(place));
                let codes: Vec<u8> = places.map(|place| u8::try_from(place).unwrap_or(MISSING)).collect();
                let (field, array) = labelled(name, &labels, codes);
                return Ok((field.with_dict_is_ordered(ordered), array));
            }
            let array = array(column)?;
            Ok((Field::new(name, array.data_type().clone(), true), array))
        };
        let columns = names.iter().zip(columns.iter()).map(restored).collect::<PyResult<_>>()?;
        Ok(Columns::new(rows, columns)?)
    }

    /// The names of the columns.
    fn names(&self) -> Vec<String> {
        self.batch.schema_ref().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// A column in the form in which pieces of tables come in; of labels also whether they stand in an order.
    fn column<'py>(&self, py: Python<'py>, place: usize) -> PyResult<Bound<'py, PyTuple>> {
        let Some(column) = self.batch.columns().get(place) else {
            return Err(PyIndexError::new_err("there is no such column"));
        };
        let gaps = column
            .nulls()
            .map(|nulls| PyBytes::new(py, &nulls.iter().map(|known| u8::from(!known)).collect::<Vec<u8>>()));
        match column.data_type() {
            DataType::Dictionary(..) => {
                let all = column.as_dictionary::<UInt8Type>();
                let keys = all.keys().iter().map(|key| key.map_or(-1, i32::from)).flat_map(i32::to_ne_bytes);
                let keys = PyBytes::new(py, &keys.collect::<Vec<u8>>());
                let labels: Vec<Option<&str>> = all.values().as_string::<i32>().iter().collect();
                let ordered = self.batch.schema_ref().field(place).dict_is_ordered() == Some(true);
                ("codes", keys, labels, ordered).into_pyobject(py)
            }
            DataType::Utf8 => {
                let texts: Vec<Option<&str>> = column.as_string::<i32>().iter().collect();
                ("texts", texts).into_pyobject(py)
            }
            DataType::Float64 => {
                let bytes = column.as_primitive::<Float64Type>().values().inner().as_slice();
                ("values", "d", PyBytes::new(py, bytes), gaps).into_pyobject(py)
            }
            _ => {
                let bytes = column.as_primitive::<Int64Type>().values().inner().as_slice();
                ("values", "q", PyBytes::new(py, bytes), gaps).into_pyobject(py)
            }
        }
    }

    /// The columns as a stream of Arrow's C interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Whoever wishes for other types casts them: a wish is all that it is.
        drop(requested_schema);
        let reader = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

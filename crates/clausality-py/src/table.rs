//! Tables from Python: a path, an Arrow stream, or pieces.
//!
//! - A text is a path, a list of texts are files that are read one below the other.
//! - An object with `slices` gives parts of its rows one after the other, each with `__arrow_c_stream__`: for frames that would hand over all of their
//!   rows as one copy.
//! - An object with `__arrow_c_stream__` hands over a stream that is read batch by batch, without a copy.
//! - Anything else is a `Pieces` of `clausality._tables`: it is asked for pieces of rows (from which on, and of which columns: how many rows, and a
//!   list of these columns), each when the one before is read, so that a frame is never there twice. A column is one of
//!
//! | column | holds |
//! |---|---|
//! | `("values", format, bytes, mask or None)` | cells of one width, `format` as in Arrow's C interface; a byte of the mask is 1 where a cell has no value |
//! | `("texts", [text or None, …])` | texts; NaN is no value, as None is |
//! | `("objects", [object, …], again)` | the same if all are texts; else what `again()` gives is read in its place |
//! | `("codes", bytes, [text or None, …])` | places in a list of labels, 32 bits each; what is outside the list is no value |
//! | `("arrow", array)` | an object with `__arrow_c_array__` |
//!
//! What lies in memory can be handed over twice: pieces can, and so can what has `rows` and `column_again`, which gives a column alone in one of the
//! first two forms. Of a long table the columns of many values are then read one after the other, and never two of them are held.

use crate::errors::{Failure, InputError};
use crate::work::Progress;
use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BooleanArray, DictionaryArray, Int32Array, PrimitiveArray,
    RecordBatch, RecordBatchOptions, RecordBatchReader, StringArray, make_array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use clausality::Input;
use clausality::data::{Batches, ColumnAgain, Wanted, label_texts};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyCapsule, PyFloat, PyList, PyString, PyTuple};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// A table that Python handed over, ready to be read on another thread.
pub(crate) struct Source {
    /// What messages call it.
    pub(crate) name: String,
    kind: Kind,
    /// What Python raised when it was asked for a piece.
    raised: Raised,
}

type Raised = Arc<Mutex<Option<PyErr>>>;

enum Kind {
    Path(PathBuf),
    Paths(Vec<PathBuf>),
    Stream { stream: RecordBatchStreamReader, again: Option<Twice> },
    Slices { first: RecordBatchStreamReader, rest: Py<PyAny>, again: Option<Twice> },
    Batch(RecordBatch),
    Pieces { names: Vec<String>, labelled: Vec<Labelled>, again: Twice },
}

/// A column that is places in a list: its name, the labels, and whether they stand in an order.
type Labelled = (String, Vec<String>, bool);

/// A table that can be handed over twice, and its rows.
struct Twice {
    rows: usize,
    table: Py<PyAny>,
}

impl Twice {
    fn of(table: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if !table.hasattr("column_again")? {
            return Ok(None);
        }
        Ok(Some(Twice { rows: table.getattr("rows")?.extract()?, table: table.clone().unbind() }))
    }
}

impl Source {
    /// What Python handed over; the name is for messages and results.
    pub(crate) fn new(table: &Bound<'_, PyAny>, name: String) -> PyResult<Self> {
        let kind = if let Ok(path) = table.extract::<PathBuf>() {
            Kind::Path(path)
        } else if let Ok(paths) = table.cast::<PyList>() {
            // No other sequence: frames may be ones of their columns' names.
            Kind::Paths(paths.extract()?)
        } else if table.hasattr("slices")? {
            let mut rest = table.getattr("slices")?.try_iter()?;
            let Some(first) = rest.next() else {
                return Err(PyValueError::new_err("a table without a part"));
            };
            let first = stream(&first?, &name)?;
            warn_of_zones(table.py(), &first.schema())?;
            Kind::Slices { first, rest: rest.into_any().unbind(), again: Twice::of(table)? }
        } else if table.hasattr("__arrow_c_stream__")? {
            let stream = stream(table, &name)?;
            warn_of_zones(table.py(), &stream.schema())?;
            Kind::Stream { stream, again: Twice::of(table)? }
        } else if table.hasattr("__arrow_c_array__")? {
            let batch = structs(&imported(table)?)?;
            warn_of_zones(table.py(), &batch.schema())?;
            Kind::Batch(batch)
        } else {
            Kind::Pieces {
                names: table.getattr("names")?.extract()?,
                labelled: table.getattr("labelled")?.extract()?,
                again: Twice { rows: table.getattr("rows")?.extract()?, table: table.clone().unbind() },
            }
        };
        Ok(Source { name, kind, raised: Raised::default() })
    }

    /// Reads it: what Python raises meanwhile comes before what the library makes of that.
    pub(crate) fn read<T, E: Into<Failure>>(
        self,
        progress: &Arc<Progress>,
        read: impl FnOnce(Input<'static>) -> Result<T, E>,
    ) -> Result<T, Failure> {
        let raised = Arc::clone(&self.raised);
        let result = read(self.input(progress)?).map_err(Into::into);
        if progress.is_cancelled() {
            return Err(clausality::Error::Cancelled.into());
        }
        match raised.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(Failure::Python(error)),
            None => result,
        }
    }

    fn input(self, progress: &Arc<Progress>) -> Result<Input<'static>, Failure> {
        let Source { name, kind, raised } = self;
        let own = Arc::clone(progress);
        let going_on = move |batch: &Result<RecordBatch, ArrowError>| batch.is_err() || !own.is_cancelled();
        let reading = Reading { name: name.clone(), raised, progress: Arc::clone(progress) };
        Ok(match kind {
            Kind::Path(path) => path.into(),
            Kind::Paths(files) => Input::Files { files, name },
            Kind::Stream { mut stream, again } => {
                let schema = stream.schema();
                // The labels of a dictionary come with its first rows.
                let first = stream.next();
                let labelled = labelled(first.as_ref());
                let batches = first.into_iter().chain(stream).take_while(going_on);
                with_labels(reading.twice(Batches::new(name, schema, batches), again), labelled)
            }
            Kind::Slices { mut first, rest, again } => {
                let schema = first.schema();
                let batch = first.next();
                let labelled = labelled(batch.as_ref());
                let raised = Arc::clone(&reading.raised);
                let slices = Slices { name: name.clone(), current: Some(first), rest, raised };
                let batches = batch.into_iter().chain(slices).take_while(going_on);
                with_labels(reading.twice(Batches::new(name, schema, batches), again), labelled)
            }
            Kind::Batch(batch) => {
                let (schema, batch) = (batch.schema(), Ok(batch));
                let labelled = labelled(Some(&batch));
                with_labels(Batches::new(name, schema, std::iter::once(batch)), labelled)
            }
            Kind::Pieces { names, labelled, again: Twice { rows, table } } => {
                let fields: Vec<Field> =
                    names.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
                let names = Arc::new(names);
                let pieces = move |table, wanted| {
                    let (names, raised) = (Arc::clone(&names), Arc::clone(&reading.raised));
                    let progress = Arc::clone(&reading.progress);
                    Pieces { names, table, rows, start: 0, wanted, raised, progress }
                };
                let wanted = Wanted::default();
                let all = pieces(Python::attach(|py| table.clone_ref(py)), Arc::clone(&wanted));
                let again: ColumnAgain = Arc::new(move |place| {
                    let table = Python::attach(|py| table.clone_ref(py));
                    Box::new(pieces(table, Arc::new(Mutex::new(vec![place]))))
                });
                let batches = Batches::new(name, Arc::new(Schema::new(fields)), all);
                with_labels(batches.telling(wanted).again(rows, again), labelled)
            }
        })
    }
}

/// What reading a table again needs.
struct Reading {
    name: String,
    raised: Raised,
    progress: Arc<Progress>,
}

impl Reading {
    /// The batches of a table of which a column may be had again, if it can be.
    fn twice<'b>(self, batches: Batches<'b>, again: Option<Twice>) -> Batches<'b> {
        let Some(Twice { rows, table }) = again else { return batches };
        batches.again(rows, Arc::new(move |place| self.column(&table, place)))
    }

    /// A column, alone.
    fn column(&self, table: &Py<PyAny>, place: usize) -> OneColumn {
        let asked = Python::attach(|py| -> PyResult<Slices> {
            let column = table.bind(py).call_method1("column_again", (place,))?;
            let (name, raised) = (self.name.clone(), Arc::clone(&self.raised));
            if column.hasattr("slices")? {
                let rest = column.getattr("slices")?.try_iter()?.into_any().unbind();
                return Ok(Slices { name, current: None, rest, raised });
            }
            let current = Some(stream(&column, &name)?);
            let rest = PyList::empty(py).try_iter()?.into_any().unbind();
            Ok(Slices { name, current, rest, raised })
        });
        let progress = Arc::clone(&self.progress);
        match asked {
            Ok(slices) => {
                Box::new(slices.take_while(move |batch| batch.is_err() || !progress.is_cancelled()))
            }
            Err(error) => Box::new(std::iter::once(Err(kept(error, &self.raised)))),
        }
    }
}

type OneColumn = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// Arrow keeps instants in UTC, and only the zone's own rules tell what its clocks show. The package turns the times of the frames it
/// knows into local ones first; those of others stay in UTC, and their owner is told.
fn warn_of_zones(py: Python<'_>, schema: &Schema) -> PyResult<()> {
    let zoned = schema.fields().iter().filter_map(|field| match field.data_type() {
        DataType::Timestamp(_, Some(zone)) if !matches!(&**zone, "UTC" | "+00:00" | "Etc/UTC" | "Z") => {
            Some(format!(
                "column '{}': its times are those of {zone} and are read as those of UTC: turn them into local times first",
                field.name()
            ))
        }
        _ => None,
    });
    let told: Vec<String> = zoned.collect();
    if !told.is_empty() {
        py.import("clausality._warnings")?.call_method1("warn", (told,))?;
    }
    Ok(())
}

fn with_labels(batches: Batches<'_>, labelled: Vec<Labelled>) -> Input<'_> {
    let mut all = batches;
    for (column, labels, ordered) in labelled {
        all = all.labelled(column, labels, ordered);
    }
    Input::Batches(all)
}

/// The columns of an array of structs.
fn structs(array: &ArrayRef) -> PyResult<RecordBatch> {
    match array.as_struct_opt() {
        Some(structs) => Ok(RecordBatch::from(structs)),
        None => {
            let kind = array.data_type();
            Err(InputError::new_err(format!(
                "an Arrow array of type {kind} is no table: expected one of structs"
            )))
        }
    }
}

/// The columns of a first batch that are dictionaries.
fn labelled(first: Option<&Result<RecordBatch, ArrowError>>) -> Vec<Labelled> {
    let Some(Ok(batch)) = first else { return Vec::new() };
    let schema = batch.schema();
    let fields = schema.fields().iter().zip(batch.columns());
    let of_field = |(field, column): (&Arc<Field>, &ArrayRef)| {
        let labels = label_texts(column.as_any_dictionary_opt()?.values().as_ref());
        Some((field.name().trim().to_string(), labels, field.dict_is_ordered() == Some(true)))
    };
    fields.filter_map(of_field).collect()
}

/// The batches of slice after slice.
struct Slices {
    name: String,
    current: Option<RecordBatchStreamReader>,
    rest: Py<PyAny>,
    raised: Raised,
}

impl Iterator for Slices {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.current.as_mut().and_then(Iterator::next) {
                return Some(batch);
            }
            let next = Python::attach(|py| -> PyResult<Option<RecordBatchStreamReader>> {
                let slice = self.rest.bind(py).try_iter()?.next().transpose()?;
                slice.map(|slice| stream(&slice, &self.name)).transpose()
            });
            match next {
                Ok(Some(next)) => self.current = Some(next),
                Ok(None) => return None,
                Err(error) => return Some(Err(kept(error, &self.raised))),
            }
        }
    }
}

/// What Python raised, kept to be raised again, in Arrow's words.
fn kept(error: PyErr, raised: &Raised) -> ArrowError {
    let text = error.to_string();
    *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    ArrowError::CDataInterface(text)
}

/// Asks Python for piece after piece.
struct Pieces {
    names: Arc<Vec<String>>,
    table: Py<PyAny>,
    rows: usize,
    /// The row that the next piece begins with.
    start: usize,
    wanted: Wanted,
    raised: Raised,
    progress: Arc<Progress>,
}

impl Pieces {
    fn ask(&mut self, py: Python<'_>) -> PyResult<RecordBatch> {
        let wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let names: Vec<&String> = wanted.iter().map(|&place| &self.names[place]).collect();
        let piece = self.table.bind(py).call_method1("piece", (self.start, wanted))?;
        let (rows, columns): (usize, Bound<'_, PyList>) = piece.extract()?;
        // A piece without a row would be asked for again and again.
        self.start = if rows == 0 { self.rows } else { self.start + rows };
        batch(&names, rows, &columns)
    }
}

impl Iterator for Pieces {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.start >= self.rows || self.progress.is_cancelled() {
            return None;
        }
        Some(Python::attach(|py| self.ask(py)).map_err(|error| kept(error, &self.raised)))
    }
}

/// A piece of rows.
pub(crate) fn batch(
    names: &[impl AsRef<str>],
    rows: usize,
    columns: &Bound<'_, PyList>,
) -> PyResult<RecordBatch> {
    let mut fields = Vec::with_capacity(names.len());
    let mut arrays: Vec<ArrayRef> = Vec::with_capacity(names.len());
    for (name, column) in names.iter().zip(columns.iter()) {
        let array =
            array(column.cast::<PyTuple>()?).map_err(|error| of_column(column.py(), name.as_ref(), error))?;
        fields.push(Field::new(name.as_ref(), array.data_type().clone(), true));
        arrays.push(array);
    }
    let rows = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &rows).map_err(of_arrow)
}

fn of_arrow(error: ArrowError) -> PyErr {
    InputError::new_err(error.to_string())
}

/// What is wrong with a column, by its name: half a pair of surrogates, say, is no text.
fn of_column(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    let of_input = error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyTypeError>(py);
    if of_input { InputError::new_err(format!("column '{name}': {}", error.value(py))) } else { error }
}

/// One column of a piece.
pub(crate) fn array(column: &Bound<'_, PyTuple>) -> PyResult<ArrayRef> {
    let kind: PyBackedStr = column.get_item(0)?.extract()?;
    match &*kind {
        "values" => {
            let (_, format, values, mask): (PyBackedStr, PyBackedStr, PyBackedBytes, Option<PyBackedBytes>) =
                column.extract()?;
            values_of(&format, values, mask.as_deref())
        }
        "texts" => Ok(Arc::new(texts(&column.get_item(1)?)?)),
        "objects" => match texts(&column.get_item(1)?) {
            Err(error) if error.is_instance_of::<PyTypeError>(column.py()) => {
                array(column.get_item(2)?.call0()?.cast::<PyTuple>()?)
            }
            found => Ok(Arc::new(found?)),
        },
        "codes" => {
            let codes: PyBackedBytes = column.get_item(1)?.extract()?;
            let labels = texts(&column.get_item(2)?)?;
            let codes: Int32Array = primitive::<Int32Type>(codes, None)?;
            let known = |code: i32| usize::try_from(code).is_ok_and(|code| code < labels.len());
            let nulls: NullBuffer =
                codes.values().iter().map(|&code| known(code)).collect::<Vec<bool>>().into();
            // A place that is null must still be one of the list.
            let codes =
                codes.values().iter().map(|&code| if known(code) { code } else { 0 }).collect::<Vec<_>>();
            let codes = Int32Array::new(codes.into(), Some(nulls));
            Ok(Arc::new(DictionaryArray::try_new(codes, Arc::new(labels)).map_err(of_arrow)?))
        }
        "arrow" => imported(&column.get_item(1)?),
        other => Err(PyTypeError::new_err(format!("a column of kind '{other}'"))),
    }
}

/// Bytes that most texts have.
const USUAL_TEXT: usize = 8;

fn texts(list: &Bound<'_, PyAny>) -> PyResult<StringArray> {
    let list = list.cast::<PyList>()?;
    // Straight into Arrow's memory: every other way takes hold of each text first.
    let mut texts = StringBuilder::with_capacity(list.len(), list.len() * USUAL_TEXT);
    for cell in list.iter() {
        match cell.cast::<PyString>() {
            Ok(text) => texts.append_value(text.to_str()?),
            Err(_) if cell.is_none() || cell.cast::<PyFloat>().is_ok_and(|gap| gap.value().is_nan()) => {
                texts.append_null();
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(texts.finish())
}

/// Cells of one width, as Arrow's C interface names them.
fn values_of(format: &str, values: PyBackedBytes, mask: Option<&[u8]>) -> PyResult<ArrayRef> {
    macro_rules! of {
        ($kind:ty) => {
            Arc::new(primitive::<$kind>(values, mask)?)
        };
    }
    Ok(match format {
        "b" => {
            let bits: BooleanBuffer = values.iter().map(|&byte| byte != 0).collect::<Vec<bool>>().into();
            Arc::new(BooleanArray::new(bits, mask.map(nulls)))
        }
        "c" => of!(Int8Type),
        "C" => of!(UInt8Type),
        "s" => of!(Int16Type),
        "S" => of!(UInt16Type),
        "i" => of!(Int32Type),
        "I" => of!(UInt32Type),
        "l" => of!(Int64Type),
        "L" => of!(UInt64Type),
        "e" => of!(Float16Type),
        "f" => of!(Float32Type),
        "g" => of!(Float64Type),
        "tdD" => of!(Date32Type),
        "tDs" => of!(DurationSecondType),
        "tDm" => of!(DurationMillisecondType),
        "tDu" => of!(DurationMicrosecondType),
        "tDn" => of!(DurationNanosecondType),
        "tss:" => of!(TimestampSecondType),
        "tsm:" => of!(TimestampMillisecondType),
        "tsu:" => of!(TimestampMicrosecondType),
        "tsn:" => of!(TimestampNanosecondType),
        other => return Err(PyTypeError::new_err(format!("values of format '{other}'"))),
    })
}

fn nulls(mask: &[u8]) -> NullBuffer {
    mask.iter().map(|&gap| gap == 0).collect::<Vec<bool>>().into()
}

/// Python's bytes as they are, not copied.
fn primitive<T: ArrowPrimitiveType>(
    values: PyBackedBytes,
    mask: Option<&[u8]>,
) -> PyResult<PrimitiveArray<T>> {
    let rows = values.len() / size_of::<T::Native>();
    let mut buffer = Buffer::from(bytes::Bytes::from_owner(values));
    if buffer.as_ptr().align_offset(align_of::<T::Native>()) != 0 {
        buffer = Buffer::from_slice_ref(buffer.as_slice());
    }
    PrimitiveArray::try_new(ScalarBuffer::new(buffer, 0, rows), mask.map(nulls)).map_err(of_arrow)
}

/// The stream of an object with `__arrow_c_stream__`.
#[allow(unsafe_code)]
fn stream(table: &Bound<'_, PyAny>, name: &str) -> PyResult<RecordBatchStreamReader> {
    const NAME: &std::ffi::CStr = c"arrow_array_stream";
    let capsule = table.call_method0("__arrow_c_stream__")?;
    let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(NAME))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a stream of the C interface, by the PyCapsule protocol of Arrow; the pointer is not null, and the
    // capsule, which is alive here, releases what is left in it: moving the stream out leaves an empty one.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    let refuse = |error| {
        InputError::new_err(format!("{name}: this Arrow stream is no table that can be read: {error}"))
    };
    RecordBatchStreamReader::try_new(stream).map_err(refuse)
}

/// The array of an object with `__arrow_c_array__`.
#[allow(unsafe_code)]
fn imported(array: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) =
        array.call_method0("__arrow_c_array__")?.extract()?;
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(c"arrow_array"))?.cast::<FFI_ArrowArray>();
    // SAFETY: capsules of these names hold a schema and an array of the C interface that belong together, by the PyCapsule protocol of
    // Arrow; both are alive here, and moving the array out leaves an empty one for its capsule to release.
    let data = unsafe { from_ffi(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) };
    Ok(make_array(data.map_err(of_arrow)?))
}

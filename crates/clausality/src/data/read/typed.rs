//! Parquet and Arrow files, and Arrow's record batches in memory: typed columns, read as the texts that a CSV of the same table would hold.
//!
//! That is a detour for numbers, but it makes the decisions about a column the same whatever file it came in. Texts stand as
//! they are (blanks around them belong to them), nulls and NaN are gaps, times of a zone are taken as those of UTC, and durations are numbers
//! of seconds.

use crate::data::cells::column::{Column, Expected};
use crate::data::cells::number::DecimalComma;
use crate::data::read::feed::{self, Feed, Recent};
use crate::data::read::raw::{Again, EndOfStretch, Header, How, LOOKED_BYTES, RawTable};
use crate::data::{Bounds, Problem};
use crate::error::{Advice, Error, Place};
use crate::memory::{Plan, product};
use crate::words::counted;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use std::collections::BTreeMap;
#[cfg(any(feature = "parquet", feature = "arrow"))]
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// Arrow's record batches, one after the other: a table in the memory of somebody else.
///
/// The batches may disagree about the type of a column, as pieces of a table of Python objects do: each cell is read as the text
/// that a CSV would hold.
pub struct Batches<'a> {
    name: String,
    schema: SchemaRef,
    /// Columns that are places in a list: its labels, and whether they stand in an order.
    labelled: BTreeMap<String, (Vec<String>, bool)>,
    wanted: Wanted,
    rows: Option<usize>,
    again: Option<ColumnAgain>,
    batches: Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + 'a>,
}

/// The places of the columns that the next batch is asked for.
pub type Wanted = Arc<Mutex<Vec<usize>>>;

/// Gives the column at a place once more, alone in its batches.
pub type ColumnAgain = Arc<dyn Fn(usize) -> OneColumn + Send + Sync>;

/// Batches of one column.
type OneColumn = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// From so many rows on columns are put apart, if they can be.
const MANY_ROWS: usize = 1 << 16;

/// Rows after which columns are put apart.
const LOOKED_AT: usize = 1 << 14;

/// Numbers that there is room for, at least, in a column of many that is held for a while: allocators give so much room back to the system when
/// it is left (glibc from 32 MiB on), where less leaves a hole that the codes of the next columns do not fill. Room that is not used is no memory.
const LENT: usize = (32 << 20) / size_of::<i32>();

/// Bytes that a batch of a Parquet file takes, about, once it is decoded,
#[cfg(feature = "parquet")]
const DECODED_BYTES: i64 = 16 << 20;

/// and its rows, at most.
#[cfg(feature = "parquet")]
const DECODED_ROWS: i64 = 1024;

impl<'a> Batches<'a> {
    /// Batches of these columns; the name is for messages.
    pub fn new(
        name: impl Into<String>,
        schema: SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>> + 'a,
    ) -> Self {
        let (labelled, wanted) = (BTreeMap::new(), Arc::default());
        Batches {
            name: name.into(),
            schema,
            labelled,
            wanted,
            rows: None,
            again: None,
            batches: Box::new(batches),
        }
    }

    /// The same where whoever makes the batches is told, before each is asked for, which columns are needed (by their places): a batch
    /// may hold these alone.
    pub fn telling(mut self, wanted: Wanted) -> Self {
        self.wanted = wanted;
        self
    }

    /// The same of a table with so many rows, of which a column can be had again: those of a long one are then left where they are and
    /// read one after the other, the ones of many values first, so that never two of these are held, and none beside all the others.
    pub fn again(mut self, rows: usize, again: ColumnAgain) -> Self {
        (self.rows, self.again) = (Some(rows), Some(again));
        self
    }

    /// The same where a column is places in a list of labels, which may stand in an order, from low to high.
    pub fn labelled(mut self, column: impl Into<String>, labels: Vec<String>, ordered: bool) -> Self {
        self.labelled.insert(column.into(), (labels, ordered));
        self
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn labels(&self) -> impl Iterator<Item = (&str, &[String], bool)> {
        self.labelled.iter().map(|(column, (labels, ordered))| (column.as_str(), labels.as_slice(), *ordered))
    }

    /// The columns as raw cells.
    pub(super) fn raw(self, how: How<'_>) -> Result<RawTable, Error> {
        let Batches { name, schema, wanted, rows, again, batches, .. } = self;
        if schema.fields().is_empty() {
            return Err(Error::table(Place::file(&name), Problem::Empty));
        }
        guarded("Arrow", &name, || {
            // It is in memory already: nothing can be packed in it.
            let mut typed = Typed::new("Arrow", &name, &schema, u64::MAX, how, None)?;
            if let Some(rows) = rows {
                typed.plan(rows)?;
            }
            if let Some(again) = again.filter(|_| how.lean && rows >= Some(MANY_ROWS)) {
                typed.raw.again = Some(reading_again(again));
                typed.rows = rows.unwrap_or_default();
            }
            typed.all(batches, &wanted)
        })
    }
}

/// The labels of a list that places point into, as they will be read.
pub fn label_texts(labels: &dyn Array) -> Vec<String> {
    feed::texts(labels)
}

/// Reads a column of a table from batches that hold it alone.
fn reading_again(again: ColumnAgain) -> Again {
    Again(Arc::new(move |place, rows, raw| {
        let RawTable { name, marks, .. } = raw;
        guarded("Arrow", name, || {
            let refuse = |error: &dyn std::fmt::Display| undecodable("Arrow", name, error);
            let (apart, mut bytes) = (&raw.columns[place], 0);
            let mut column =
                apart.begun_again(if apart.was_wide && rows == raw.rows { rows.max(LENT) } else { rows });
            if !apart.was_wide {
                column.reserve(rows);
            }
            for batch in again(place) {
                let batch = batch.map_err(|error| refuse(&error))?;
                let Some(array) = batch.columns().first() else { continue };
                // What changed must not go unnoticed where all is read.
                let wanted = if rows < raw.rows { array.len().min(rows - column.len()) } else { array.len() };
                let array = &array.slice(0, wanted);
                let (column, bytes) = (&mut column, &mut bytes);
                Feed { name, column, marks, bytes, allowed: u64::MAX, recent: Recent::new() }.array(array)?;
                if rows < raw.rows && column.len() == rows {
                    break;
                }
            }
            if column.len() == rows { Ok(column) } else { Err(refuse(&"it changed while it was read")) }
        })
    }))
}

/// A table being read.
struct Typed<'a> {
    format: &'static str,
    /// The file.
    name: String,
    raw: RawTable,
    bounds: &'a Bounds,
    /// Bytes that the cells read so far would take as text, and how many they may.
    bytes: u64,
    allowed: u64,
    /// The rows that will come, where that is known.
    rows: usize,
    /// Columns that say something of the rows: they are never put apart.
    special: Vec<String>,
    stretch: Option<EndOfStretch<'a>>,
    /// Whether batches are decoded from a file, and so held here beside what is made of them.
    decoded: bool,
}

/// Reads a Parquet file.
#[cfg(feature = "parquet")]
pub(super) fn read_parquet(
    file: File,
    name: &str,
    how: How<'_>,
    before: Option<RawTable>,
) -> Result<RawTable, Error> {
    use parquet::arrow::ProjectionMask;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    let size = file.metadata().map_or(0, |meta| meta.len());
    guarded("Parquet", name, || {
        let refuse = |error: &dyn std::fmt::Display| undecodable("Parquet", name, error);
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| refuse(&error))?;
        let typed =
            Typed::new("Parquet", name, builder.schema(), size, how, before)?.of_file(builder.schema());
        let mask = ProjectionMask::roots(builder.parquet_schema(), typed.wanted());
        let rows = batch_rows(builder.metadata());
        let batches = builder.with_projection(mask).with_batch_size(rows).build();
        typed.all(batches.map_err(|error| refuse(&error))?, &Wanted::default())
    })
}

/// Rows to be decoded at a time: fewer where the file says that each takes much.
#[cfg(feature = "parquet")]
fn batch_rows(file: &parquet::file::metadata::ParquetMetaData) -> usize {
    /// What a number or the beginning of a text takes once it is decoded.
    const CELL: i64 = 16;
    let row_bytes = |group: &parquet::file::metadata::RowGroupMetaData| {
        let texts = |column: &parquet::file::metadata::ColumnChunkMetaData| {
            // What a dictionary packs is written out again; writers of today say how much that is.
            column.unencoded_byte_array_data_bytes().unwrap_or_else(|| column.uncompressed_size()).max(0)
        };
        let texts = group.columns().iter().map(texts).fold(0, i64::saturating_add);
        (texts / group.num_rows().max(1)).saturating_add(CELL * group.columns().len() as i64)
    };
    let most = file.row_groups().iter().map(row_bytes).max().unwrap_or(CELL);
    (DECODED_BYTES / most.max(1)).clamp(1, DECODED_ROWS) as usize
}

/// Reads an Arrow file or stream.
#[cfg(feature = "arrow")]
pub(super) fn read_arrow(
    mut file: File,
    name: &str,
    how: How<'_>,
    before: Option<RawTable>,
) -> Result<RawTable, Error> {
    use arrow_ipc::reader::{FileReader, StreamReader};
    use std::io::{BufReader, Read, Seek};
    let size = file.metadata().map_or(0, |meta| meta.len());
    let mut magic = [0; 6];
    let is_file = file.read_exact(&mut magic).is_ok() && &magic == b"ARROW1";
    let failed = |source| Error::Io { file: name.to_string(), source };
    file.rewind().map_err(failed)?;
    guarded("Arrow", name, || {
        let refuse = |error: &dyn std::fmt::Display| undecodable("Arrow", name, error);
        if &magic[..4] == b"FEA1" {
            return Err(refuse(&"this is a Feather file of version 1; save it as version 2"));
        }
        let typed = |schema: &SchemaRef| {
            Typed::new("Arrow", name, schema, size, how, before).map(|typed| typed.of_file(schema))
        };
        if is_file {
            let open = |file, columns| {
                FileReader::try_new(BufReader::new(file), columns).map_err(|error| refuse(&error))
            };
            let typed = typed(&open(file.try_clone().map_err(failed)?, None)?.schema())?;
            file.rewind().map_err(failed)?;
            let wanted = typed.wanted();
            return typed.all(open(file, Some(wanted))?, &Wanted::default());
        }
        let batches = StreamReader::try_new(BufReader::new(file), None).map_err(|error| refuse(&error))?;
        typed(&batches.schema())?.all(batches, &Wanted::default())
    })
}

fn undecodable(format: &'static str, name: &str, error: &dyn std::fmt::Display) -> Error {
    let reason = error.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    Error::table(Place::file(name), Problem::Undecodable { format, reason })
}

/// Runs a decoder that may panic on damaged files; such a file is refused like any other damaged one.
fn guarded<T>(format: &'static str, name: &str, read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(undecodable(format, name, &"it is damaged")))
}

impl<'a> Typed<'a> {
    fn new(
        format: &'static str,
        name: &str,
        schema: &SchemaRef,
        size: u64,
        how: How<'a>,
        before: Option<RawTable>,
    ) -> Result<Self, Error> {
        let How { settings, bounds, expect, stretch, .. } = how;
        let mut header = Header::default();
        let mut columns = Vec::with_capacity(schema.fields().len());
        for field in schema.fields() {
            let in_file = |problem| Error::table(Place::file(name), problem);
            header.add(field.name()).map_err(in_file)?;
            let column = header.names[header.names.len() - 1].clone();
            let expected = expect(&column);
            if expected != Expected::Nothing && !is_supported(field.data_type()) {
                let kind = field.data_type().to_string();
                return Err(in_file(Problem::UnsupportedType { column, kind }));
            }
            columns.push(Column::new(column, expected, DecimalComma(false)));
        }
        let raw = RawTable::begun(name, columns, settings, before)?;
        let allowed = bounds.decompressed.max(size.saturating_mul(bounds.expansion));
        let special = [&settings.row_weights, &settings.time, &settings.entity];
        let special = special.into_iter().flatten().cloned().collect();
        Ok(Typed {
            format,
            name: name.to_string(),
            raw,
            bounds,
            bytes: 0,
            allowed,
            rows: 0,
            special,
            stretch,
            decoded: false,
        })
    }

    /// The same of a file, with the zones that it names: whoever hands over batches has looked at their clocks, and holds them anyway.
    #[cfg(any(feature = "parquet", feature = "arrow"))]
    fn of_file(mut self, schema: &SchemaRef) -> Self {
        self.decoded = true;
        for (column, field) in self.raw.columns.iter_mut().zip(schema.fields()) {
            if let DataType::Timestamp(_, Some(zone)) = field.data_type()
                && !is_utc(zone)
            {
                column.zone = Some(zone.to_string());
            }
        }
        self
    }

    /// The places of the columns that are needed.
    fn wanted(&self) -> Vec<usize> {
        let needed = |column: &Column| column.expected != Expected::Nothing && !column.apart;
        (0..self.raw.columns.len()).filter(|&place| needed(&self.raw.columns[place])).collect()
    }

    /// Refuses a table of so many rows whose codes alone are more than may be held, before it is read.
    fn plan(&self, rows: usize) -> Result<(), Error> {
        let columns = self.wanted().len();
        let what = format!("{} of {}", counted(rows, "row"), counted(columns, "column"));
        let plan = Plan::at_least("reading the table").need(what, product(&[rows, columns]));
        plan.way("leave columns out", Some(Advice::new("type", "COL=ignore"))).check(self.bounds.room)
    }

    /// Takes every batch. What is `wanted` of each is told before it is asked for: columns that were put apart are not.
    fn all(
        mut self,
        mut batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
        told: &Wanted,
    ) -> Result<RawTable, Error> {
        loop {
            let wanted = self.wanted();
            told.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&wanted);
            if wanted.is_empty() && self.raw.again.is_some() {
                self.raw.rows = self.rows;
                return Ok(self.raw);
            }
            let Some(batch) = batches.next() else { return Ok(self.raw) };
            let batch = batch.map_err(|error| undecodable(self.format, &self.name, &error))?;
            if self.raw.again.is_none() {
                let held = if self.decoded { batch.get_array_memory_size() } else { 0 };
                // Its texts may be long: looked at by bytes, too.
                let texts: usize = batch.columns().iter().map(|array| feed::text_bytes(array)).sum();
                let most = batch.num_rows().div_ceil(texts / LOOKED_BYTES + 1);
                let mut start = 0;
                while start < batch.num_rows() {
                    let mut rows = most.min(batch.num_rows() - start);
                    if self.stretch.is_some() {
                        rows = rows.min(self.raw.left_of_stretch());
                    }
                    self.add(&batch.slice(start, rows), &wanted)?;
                    self.raw.look_at_texts(self.stretch)?;
                    self.raw.check_memory(held, self.bounds)?;
                    self.raw.look_at_stretch(self.stretch)?;
                    start += rows;
                }
                continue;
            }
            for start in (0..batch.num_rows()).step_by(LOOKED_AT) {
                self.add(&batch.slice(start, LOOKED_AT.min(batch.num_rows() - start)), &wanted)?;
                self.raw.check_memory(0, self.bounds)?;
                if self.raw.rows >= LOOKED_AT {
                    let read = |column: &&mut Column| column.expected != Expected::Nothing && !column.apart;
                    for column in self.raw.columns.iter_mut().filter(read) {
                        match self.special.contains(&column.name) {
                            true => column.reserve(self.rows),
                            false => column.put_apart(),
                        }
                    }
                }
            }
        }
    }

    /// Adds rows; the batch may hold all columns or the wanted ones only.
    fn add(&mut self, batch: &RecordBatch, wanted: &[usize]) -> Result<(), Error> {
        for (k, &place) in wanted.iter().enumerate() {
            if self.raw.columns[place].apart {
                continue;
            }
            let source = if batch.num_columns() == wanted.len() { k } else { place };
            let Some(array) = (source < batch.num_columns()).then(|| batch.column(source)) else {
                return Err(undecodable(self.format, &self.name, &"a block of rows lacks a column"));
            };
            let RawTable { columns, marks, .. } = &mut self.raw;
            let name = &self.name;
            let (column, bytes) = (&mut columns[place], &mut self.bytes);
            // Whoever cuts batches out of columns of no declared type (lists, say) finds out only here what they hold.
            if !is_supported(array.data_type()) {
                let (column, kind) = (column.name.clone(), array.data_type().to_string());
                return Err(Error::table(Place::file(name), Problem::UnsupportedType { column, kind }));
            }
            let mut feed = Feed { name, column, marks, bytes, allowed: self.allowed, recent: Recent::new() };
            feed.array(array)?;
        }
        self.raw.rows += batch.num_rows();
        Ok(())
    }
}

/// Whether the clocks of a zone show what those of UTC do, by its name.
#[cfg(any(feature = "parquet", feature = "arrow"))]
fn is_utc(zone: &str) -> bool {
    matches!(zone, "UTC" | "+00:00" | "Etc/UTC" | "Z")
}

fn is_supported(kind: &DataType) -> bool {
    use DataType::*;
    match kind {
        Null | Boolean | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 => true,
        Float16 | Float32 | Float64 | Utf8 | LargeUtf8 | Utf8View | Date32 | Date64 | Timestamp(..) => true,
        Decimal32(..) | Decimal64(..) | Decimal128(..) | Decimal256(..) => true,
        Time32(_) | Time64(_) | Duration(_) => true,
        Dictionary(_, values) => is_supported(values),
        _ => false,
    }
}

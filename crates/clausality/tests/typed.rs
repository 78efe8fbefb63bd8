//! A table written as Parquet and as Arrow is read like the same table as CSV.

use arrow_array::builder::{StringDictionaryBuilder, StringViewBuilder};
use arrow_array::types::Int32Type;
use arrow_array::*;
use arrow_schema::Schema;
use clausality::data::{self, ColumnType, DataSettings, Dataset};
use clausality::{Bounds, ErrorClass, Input};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

const ROWS: usize = 300;

/// A date of 1970 or later, counted forward from there, with its time unless that is midnight.
fn written(seconds: u64) -> String {
    let (mut year, mut month, mut day) = (1970, 1, seconds / 86_400);
    loop {
        let days = match month {
            2 if year % 4 == 0 => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if day < days {
            break;
        }
        day -= days;
        (year, month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    }
    let date = format!("{year}-{month:02}-{:02}", day + 1);
    match seconds % 86_400 {
        0 => date,
        left => format!("{date} {:02}:{:02}:{:02}", left / 3600, left / 60 % 60, left % 60),
    }
}

/// One column of every kind that is read, and the texts it stands for.
fn columns() -> Vec<(&'static str, ArrayRef, Vec<String>)> {
    let each = |cell: &dyn Fn(usize) -> String| (0..ROWS).map(cell).collect::<Vec<String>>();
    let mut dictionary = StringDictionaryBuilder::<Int32Type>::new();
    let mut view = StringViewBuilder::new();
    for k in 0..ROWS {
        dictionary.append_option(["red", "blue", "", "green"].get(k % 5).copied());
        view.append_value(format!("team number {:03}", k % 30));
    }
    let gap = |k: usize| k.is_multiple_of(7);
    let decimal = Decimal128Array::from_iter_values((0..ROWS).map(|k| (k as i128 * 37 % 1000) - 300));
    vec![
        ("whole", Arc::new(Int64Array::from_iter((0..ROWS).map(|k| (!gap(k)).then_some(k as i64 % 40)))), {
            each(&|k| if gap(k) { String::new() } else { (k % 40).to_string() })
        }),
        (
            "small",
            Arc::new(UInt8Array::from_iter_values((0..ROWS).map(|k| (k % 3) as u8))),
            each(&|k| (k % 3).to_string()),
        ),
        ("float", Arc::new(Float64Array::from_iter_values((0..ROWS).map(|k| k as f64 / 8.0))), {
            each(&|k| (k as f64 / 8.0).to_string())
        }),
        (
            "single",
            Arc::new(Float32Array::from_iter(
                (0..ROWS).map(|k| Some(if gap(k) { f32::NAN } else { k as f32 * 0.1 })),
            )),
            { each(&|k| if gap(k) { "NaN".into() } else { (k as f32 * 0.1).to_string() }) },
        ),
        (
            "truth",
            Arc::new(BooleanArray::from_iter((0..ROWS).map(|k| Some(k % 3 == 0)))),
            each(&|k| (k % 3 == 0).to_string()),
        ),
        (
            "wait",
            Arc::new(DurationMillisecondArray::from_iter_values((0..ROWS).map(|k| k as i64 * 250))),
            each(&|k| (k as f64 / 4.0).to_string()),
        ),
        (
            "clock",
            Arc::new(Time64MicrosecondArray::from_iter_values(
                (0..ROWS).map(|k| (k as i64 % 24 * 3600 + 61) * 1_000_000),
            )),
            each(&|k| format!("{:02}:01:01", k % 24)),
        ),
        ("text", Arc::new(StringArray::from_iter_values((0..ROWS).map(|k| format!("level {}", k % 4)))), {
            each(&|k| format!("level {}", k % 4))
        }),
        ("view", Arc::new(view.finish()), each(&|k| format!("team number {:03}", k % 30))),
        ("colour", Arc::new(dictionary.finish()), {
            each(&|k| ["red", "blue", "", "green"].get(k % 5).copied().unwrap_or("").to_string())
        }),
        ("decimal", Arc::new(decimal.with_precision_and_scale(10, 2).unwrap()), {
            each(&|k| format!("{:.2}", ((k as i64 * 37 % 1000) - 300) as f64 / 100.0))
        }),
        ("day", Arc::new(Date32Array::from_iter_values((0..ROWS).map(|k| 19_000 + k as i32))), {
            each(&|k| written((19_000 + k as u64) * 86_400))
        }),
        (
            "instant",
            Arc::new(TimestampMillisecondArray::from_iter_values((0..ROWS).map(|k| k as i64 * 3_700_000))),
            { each(&|k| written(k as u64 * 3_700)) },
        ),
        ("nothing", Arc::new(NullArray::new(ROWS)), each(&|_| String::new())),
    ]
}

fn batch() -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(
        columns().into_iter().map(|(name, array, _)| (name, array, true)),
    )
    .unwrap()
}

fn csv() -> String {
    let columns = columns();
    let mut text = columns.iter().map(|(name, ..)| *name).collect::<Vec<_>>().join(",") + "\n";
    for row in 0..ROWS {
        text +=
            &(columns.iter().map(|(_, _, cells)| cells[row].clone()).collect::<Vec<_>>().join(",") + "\n");
    }
    text
}

fn assert_same(typed: &Dataset, from: &str) {
    let text =
        data::read(Input::csv(csv().as_bytes(), "t.csv"), &DataSettings::default(), &Bounds::default())
            .unwrap();
    for (typed, text) in typed.report.iter().zip(&text.report) {
        assert_eq!(typed, text, "{from}");
    }
    assert_eq!(typed.table, text.table, "{from}");
    assert_eq!(typed.coding, text.coding, "{from}");
    assert_eq!(typed.indexes, text.indexes, "{from}");
}

fn read(path: &Path) -> Result<Dataset, clausality::Error> {
    data::read(path, &DataSettings::default(), &Bounds::default())
}

fn write_parquet(path: &Path, batch: &RecordBatch) {
    let mut writer =
        parquet::arrow::ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn parquet_is_read_like_csv() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    write_parquet(&path, &batch());
    assert_same(&read(&path).unwrap(), "Parquet");
}

#[test]
fn arrow_files_and_streams_are_read_like_csv() {
    let folder = tempfile::tempdir().unwrap();
    let batch = batch();
    let path = folder.path().join("t.feather");
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new(File::create(&path).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch.slice(0, 100)).unwrap();
    writer.write(&batch.slice(100, ROWS - 100)).unwrap();
    writer.finish().unwrap();
    assert_same(&read(&path).unwrap(), "Arrow file");
    let path = folder.path().join("t.arrow");
    let mut writer =
        arrow_ipc::writer::StreamWriter::try_new(File::create(&path).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    assert_same(&read(&path).unwrap(), "Arrow stream");
}

/// Of a table with more rows than are held the same ones are, in files of any kind and however their rows are batched.
#[test]
fn the_same_rows_of_a_long_table_are_held() {
    const LONG: usize = 140_000;
    let number = |k: usize| (k * 7919 % 100_003) as f64 / 8.0;
    let text = |k: usize| if k == LONG - 2 { "rare".to_string() } else { format!("level {}", k / 7 % 3) };
    let schema = Arc::new(Schema::new(vec![
        arrow_schema::Field::new("n", arrow_schema::DataType::Float64, true),
        arrow_schema::Field::new("t", arrow_schema::DataType::Utf8, true),
    ]));
    let batch = |rows: std::ops::Range<usize>| {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Float64Array::from_iter_values(rows.clone().map(number))),
            Arc::new(StringArray::from_iter_values(rows.map(text))),
        ];
        RecordBatch::try_new(Arc::clone(&schema), columns).unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let line = |k: usize| format!("{},{}\n", number(k), text(k));
    std::fs::write(at("t.csv"), "n,t\n".to_string() + &(0..LONG).map(line).collect::<String>()).unwrap();
    std::fs::create_dir(at("parts")).unwrap();
    write_parquet(&at("parts/p1.parquet"), &batch(0..70_001));
    let file = File::create(at("parts/p2.arrow")).unwrap();
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(file, &schema).unwrap();
    for rows in [70_001..70_003, 70_003..139_000, 139_000..LONG] {
        writer.write(&batch(rows)).unwrap();
    }
    writer.finish().unwrap();
    let settings = DataSettings { rows_held: 2000, ..DataSettings::default() };
    let read = |name: &str| data::read(&at(name), &settings, &Bounds::default()).unwrap();
    let (text, typed) = (read("t.csv"), read("parts"));
    assert_eq!((&text.coding, &text.table, text.rows), (&typed.coding, &typed.table, LONG));
    assert!(typed.table.rows() < 2100 && typed.beyond.is_some());
    assert!(typed.table.schema().variable(1).states.contains(&"rare".into()));
}

#[test]
fn types_without_cells_are_refused_unless_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let bytes: ArrayRef = Arc::new(BinaryArray::from_iter_values((0..ROWS).map(|_| b"x")));
    let (mut fields, mut arrays): (Vec<_>, Vec<_>) =
        batch().schema().fields().iter().cloned().zip(batch().columns().iter().cloned()).unzip();
    fields.insert(1, Arc::new(arrow_schema::Field::new("blob", bytes.data_type().clone(), false)));
    arrays.insert(1, bytes);
    write_parquet(&path, &RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap());
    let message = read(&path).unwrap_err().to_string();
    assert!(message.contains("'blob' has the type Binary"), "{message}");
    let mut settings = DataSettings::default();
    settings.types.insert("blob".into(), ColumnType::Ignore);
    let dataset = data::read(&path, &settings, &Bounds::default()).unwrap();
    assert_eq!(dataset.report[2].name, "small");
    assert_eq!(dataset.report[2].distinct, 3);
}

#[test]
fn damaged_and_oversized_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    write_parquet(&path, &batch());
    let whole = std::fs::read(&path).unwrap();
    for (ending, step) in [("parquet", 37), ("arrow", 997)] {
        for cut in (0..whole.len()).step_by(step) {
            let mut damaged = whole.clone();
            damaged[cut] ^= 0xff;
            let path = folder.path().join(format!("d.{ending}"));
            std::fs::write(&path, if cut % 2 == 0 { &damaged[..] } else { &damaged[..cut] }).unwrap();
            // Read or refused, never a panic.
            let _ = read(&path);
        }
    }
    let bounds = Bounds { decompressed: 1000, expansion: 0, ..Bounds::default() };
    let error = data::read(&path, &DataSettings::default(), &bounds).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Limit, "{error}");
}

/// A few cells may take more than many rows: a table is refused before all of a batch's texts are held a second time.
#[test]
fn long_texts_are_bounded_by_their_bytes() {
    const CELL: usize = 1 << 19;
    let folder = tempfile::tempdir().unwrap();
    let text = |k: usize| format!("{k:03}{}", "x".repeat(CELL));
    let column: ArrayRef = Arc::new(StringArray::from_iter_values((0..100).map(text)));
    let batch = RecordBatch::try_from_iter([("t", column)]).unwrap();
    let (parquet, arrow) = (folder.path().join("t.parquet"), folder.path().join("t.arrow"));
    write_parquet(&parquet, &batch);
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new(File::create(&arrow).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let refused = |path: &Path, memory: u64, settings: &DataSettings| {
        let bounds = Bounds { memory: Some(memory), ..Bounds::default() };
        let error = data::read(path, settings, &bounds).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Limit, "{error}");
        error.to_string()
    };
    let whole = DataSettings::default();
    // What was decoded so far is far less than the 50 MiB of the file.
    let message = refused(&parquet, 30 << 20, &whole);
    let rows: usize = message.split(" row").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    assert!(rows < 60, "{message}");
    // A batch of an Arrow file is decoded as a whole, but not held twice.
    let message = refused(&arrow, 70 << 20, &whole);
    let rows: usize = message.split(" row").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    assert!(rows < 60, "{message}");
}

#[test]
fn times_of_a_zone_are_read_in_utc_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let instants = || TimestampMillisecondArray::from_iter_values((0..ROWS).map(|k| k as i64 * 37_000_000));
    let zoned = |zone: &str| -> ArrayRef { Arc::new(instants().with_timezone(zone)) };
    let columns =
        [("oslo", zoned("Europe/Oslo")), ("utc", zoned("UTC")), ("plain", Arc::new(instants()) as ArrayRef)];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let parquet = folder.path().join("t.parquet");
    write_parquet(&parquet, &batch);
    let arrow = folder.path().join("t.arrow");
    let mut writer =
        arrow_ipc::writer::StreamWriter::try_new(File::create(&arrow).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let told =
        "its times are those of Europe/Oslo and are read as those of UTC: turn them into local times first";
    for path in [parquet, arrow] {
        let dataset = read(&path).unwrap();
        let about: Vec<&str> = dataset.notices.iter().map(|notice| notice.message.as_str()).collect();
        let zones: Vec<&&str> = about.iter().filter(|message| message.contains("UTC")).collect();
        assert_eq!(zones, [&format!("column 'oslo': {told}").as_str()], "{}", path.display());
        let coded = dataset.coding.apply(&path, &Bounds::default(), data::Absent::Refuse).unwrap();
        assert_eq!(coded.zones, [("oslo".to_string(), told.to_string())].into());
    }
}

#[test]
fn a_nul_byte_is_refused_where_it_stands() {
    let texts = |row: usize| (0..ROWS).map(move |k| if k == row { "a\0b" } else { ["x", "y"][k % 2] });
    let plain: ArrayRef = Arc::new(StringArray::from_iter_values(texts(41)));
    let listed: ArrayRef = Arc::new(texts(299).collect::<DictionaryArray<Int32Type>>());
    let good: ArrayRef = Arc::new(StringArray::from_iter_values(texts(ROWS)));
    for (name, array, row) in [("text", plain, 42), ("dictionary", listed, 300)] {
        let batch = RecordBatch::try_from_iter([("good", good.clone()), (name, array)]).unwrap();
        // In pieces: rows are counted over all of them.
        let pieces = [batch.slice(0, 100), batch.slice(100, ROWS - 100)];
        let batches = data::Batches::new("frame", batch.schema(), pieces.into_iter().map(Ok));
        let found = data::read(Input::Batches(batches), &DataSettings::default(), &Bounds::default());
        let message = found.unwrap_err().to_string();
        assert!(message.starts_with(&format!("frame: column '{name}', row {row}: a NUL byte")), "{message}");
    }
    let named = RecordBatch::try_from_iter([("good", good.clone()), ("b\0d", good)]).unwrap();
    let batches = data::Batches::new("frame", named.schema(), [Ok(named.clone())].into_iter());
    let found = data::read(Input::Batches(batches), &DataSettings::default(), &Bounds::default());
    assert!(found.unwrap_err().to_string().contains("the name of column 2 holds a NUL byte"));
    let frame = data::Frame::new("frame").with("good", vec!["x", "y"]).with("bad", vec!["x", "\0"]);
    let found = data::read(&frame, &DataSettings::default(), &Bounds::default());
    assert!(found.unwrap_err().to_string().contains("column 'bad', row 2: a NUL byte"));
}

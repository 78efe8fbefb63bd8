//! Files that are no text, known by how they begin: said by name, with what to do, instead of at the first byte that is no UTF-8.

use crate::data::problem::Problem;

/// How a kind of file begins, what it is, and what to do.
const KINDS: [(&[u8], &str, &str); 12] = [
    (b"PK\x03\x04", "a ZIP archive", "unpack it, and give the table in it"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook (.xls)", CSV),
    (b"%PDF-", "a PDF document", "give the table that it was made from"),
    (b"PAR1", "a Parquet file", "name it .parquet"),
    (b"ARROW1", "an Arrow file", "name it .arrow"),
    (b"SQLite format 3\0", "an SQLite database", CSV),
    (b"\x28\xb5\x2f\xfd", "packed by zstd", GZIP),
    (b"BZh", "packed by bzip2", GZIP),
    (b"\xfd7zXZ\0", "packed by xz", GZIP),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", GZIP),
    (b"\x89PNG\r\n", "a picture (PNG)", PICTURE),
    (b"\xff\xd8\xff", "a picture (JPEG)", PICTURE),
];
const CSV: &str = "save the table as CSV";
const GZIP: &str = "unpack it, or pack it with gzip";
const PICTURE: &str = "give the table itself";
/// Bytes that are looked at.
const LOOK: usize = 4096;

/// What else this is, if it is no table of text.
pub(super) fn recognise(start: &[u8]) -> Option<Problem> {
    let start = &start[..start.len().min(LOOK)];
    let named = |kind, advice| Some(Problem::Foreign { kind, advice });
    if let Some((_, kind, advice)) = KINDS.iter().find(|(begins, ..)| start.starts_with(begins)) {
        let holds = |name: &[u8]| memchr::memmem::find(start, name).is_some();
        return match *kind {
            // Word, Excel and LibreOffice pack theirs in ZIP, and begin with what is in it.
            "a ZIP archive" if holds(b"xl/") || holds(b"[Content_Types].xml") => {
                named("an Excel workbook (.xlsx)", CSV)
            }
            "a ZIP archive" if holds(b"opendocument") => named("an OpenDocument file (.ods)", CSV),
            "packed by bzip2" if start.len() > 3 && !start[3].is_ascii_digit() => None,
            // A header may begin with these letters.
            "a Parquet file" | "an Arrow file" if !start.contains(&0) => None,
            kind => named(kind, advice),
        };
    }
    // Before UTF-16, whose mark is the beginning of this one's.
    if is_utf32(start) {
        return named("UTF-32 text", "save the file as UTF-8");
    }
    if is_utf16(start) {
        return Some(Problem::Utf16);
    }
    let text = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start).trim_ascii_start();
    let begins =
        |with: &str| text.get(..with.len()).is_some_and(|part| part.eq_ignore_ascii_case(with.as_bytes()));
    let is_page = ["<!doctype html", "<html"].into_iter().any(begins);
    if is_page {
        return named(
            "a web page (HTML)",
            "what was saved may be the page about the table, or a request to log in: save the table as CSV",
        );
    }
    if begins("<?xml") {
        return named("an XML document", CSV);
    }
    is_json(text).then_some(Problem::Foreign { kind: "a JSON document", advice: CSV })
}

/// A bracket and what can follow it in JSON, but in no header.
fn is_json(text: &[u8]) -> bool {
    let after = text.get(1..).unwrap_or_default().trim_ascii_start().first();
    match text.first() {
        Some(b'{') => after == Some(&b'"'),
        Some(b'[') => matches!(after, Some(b'{' | b'[')),
        _ => false,
    }
}

/// Text of which three of every four bytes are zero, or that says so by its mark.
fn is_utf32(start: &[u8]) -> bool {
    let marked = [b"\xff\xfe\0\0", b"\0\0\xfe\xff"].into_iter().any(|mark| start.starts_with(mark));
    let fours = start.chunks_exact(4);
    let latin = |little: bool| {
        let of = |four: &[u8]| {
            if little { four[0] != 0 && four[1..] == [0; 3] } else { four[3] != 0 && four[..3] == [0; 3] }
        };
        fours.clone().filter(|four| of(four)).count()
    };
    marked || fours.len() >= 2 && 4 * latin(true).max(latin(false)) >= 3 * fours.len()
}

/// Text of which every second byte is zero. Latin letters, digits, separators and line ends have one zero byte in UTF-16, and any table holds some.
fn is_utf16(start: &[u8]) -> bool {
    let pairs = start.chunks_exact(2);
    let all = pairs.len();
    let (mut low, mut high) = (0, 0);
    for pair in pairs {
        low += usize::from(pair[0] == 0 && pair[1] != 0);
        high += usize::from(pair[1] == 0 && pair[0] != 0);
    }
    let most = |zeros: usize, others: usize| zeros >= 2 && 4 * zeros >= all && 20 * others <= zeros;
    most(low, high) || most(high, low)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(start: &[u8]) -> String {
        recognise(start).map_or(String::new(), |problem| problem.to_string())
    }

    #[test]
    fn kinds_are_named() {
        let utf16 = |text: &str, big: bool| -> Vec<u8> {
            text.encode_utf16()
                .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
                .collect()
        };
        let utf32 = |text: &str, big: bool| -> Vec<u8> {
            let unit = |c: char| if big { (c as u32).to_be_bytes() } else { (c as u32).to_le_bytes() };
            text.chars().flat_map(unit).collect()
        };
        let table = "stadt,wert\nKöln,1\n東京,2\n";
        for (start, part) in [
            (&b"PK\x03\x04\x14\0\x06\0[Content_Types].xml"[..], ".xlsx"),
            (b"PK\x03\x04\x14\0\0\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet", ".ods"),
            (b"PK\x03\x04\x14\0\0\0table.csv", "ZIP"),
            (b"%PDF-1.7\n%\xe2\xe3", "PDF"),
            (b"\n  <!DOCTYPE HTML>\n<html>", "HTML"),
            (b"\xef\xbb\xbf<html lang=\"en\">", "HTML"),
            (b"<?xml version=\"1.0\"?>\n<rows>", "XML"),
            (b"[\n  {\"a\": 1, \"b\": 2}\n]", "JSON"),
            (b"{\"a\": [1, 2]}\n{\"a\": [3, 4]}\n", "JSON"),
            (b"BZh91AY&SY", "bzip2"),
            (b"PAR1\x15\0\x15", "Parquet"),
            (&utf32(table, false), "UTF-32"),
            (&utf32(table, true), "UTF-32"),
            (b"\xff\xfe\0\0a\0\0\0", "UTF-32"),
            (&utf16(table, false), "UTF-16"),
            (&utf16(table, true), "UTF-16"),
        ] {
            assert!(said(start).contains(part), "{part}: {}", said(start));
        }
    }

    #[test]
    fn tables_are_tables() {
        for table in [
            "",
            "a,b\n1,2\n",
            "BZhou,b\n1,2\n",
            "PAR1,b\n",
            "<html>,b\n1,2\n".trim_start_matches('<'),
            "a\0,b\n1,2\n",
        ] {
            assert_eq!(said(table.as_bytes()), "", "{table:?}");
        }
    }
}

//! What stands between the cells of a text file, found out from its first rows.

/// The separator that a first line such as `sep=;` declares (spreadsheets write it), and the length of that line.
pub(in crate::data) fn declaration(sample: &[u8], newline: u8) -> Option<(u8, usize)> {
    let length = sample.iter().position(|&byte| byte == newline)?;
    let line = &sample[..length];
    match line.strip_suffix(b"\r").unwrap_or(line) {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', separator @ (b',' | b';' | b'\t' | b'|' | b':')] => {
            Some((*separator, length))
        }
        _ => None,
    }
}

/// The separator under which most of the first rows have as many fields as the header, and the more fields the better.
///
/// A candidate that leaves the header in one piece is none; without any candidate it is the comma.
pub(in crate::data) fn detect(sample: &[u8], newline: u8) -> u8 {
    let mut best = ((0, 0), b',');
    for separator in *b",;\t|" {
        let counts = field_counts(sample, separator, newline);
        let Some(&fields) = counts.first() else { continue };
        let agreeing = counts.iter().filter(|&&count| count == fields).count();
        if fields > 1 && (agreeing, fields) > best.0 {
            best = ((agreeing, fields), separator);
        }
    }
    best.1
}

/// Fields of the first hundred rows of the sample that are not blank.
fn field_counts(sample: &[u8], separator: u8, newline: u8) -> Vec<usize> {
    let mut counts = Vec::new();
    let (mut fields, mut quoted, mut cell_is_new, mut row_is_blank) = (1, false, true, true);
    for &byte in sample {
        if byte == b'"' && (quoted || cell_is_new) {
            quoted = !quoted;
            row_is_blank = false;
        } else if quoted {
            continue;
        } else if byte == newline {
            if !row_is_blank {
                counts.push(fields);
            }
            (fields, cell_is_new, row_is_blank) = (1, true, true);
            if counts.len() == 100 {
                return counts;
            }
        } else if byte == separator {
            fields += 1;
            (cell_is_new, row_is_blank) = (true, false);
        } else if !matches!(byte, b' ' | b'\t' | b'\r') {
            (cell_is_new, row_is_blank) = (false, false);
        }
    }
    // The last row of the sample may be cut off; it counts only when it is all there is.
    if counts.is_empty() && !row_is_blank {
        counts.push(fields);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations() {
        assert_eq!(declaration(b"sep=;\na;b\n", b'\n'), Some((b';', 5)));
        assert_eq!(declaration(b"SEP=|\r\n", b'\n'), Some((b'|', 6)));
        for text in [&b"sep=;"[..], b"sep=\n", b"sepal=;\n", b"sep,=\n", b"sep=x\n"] {
            assert_eq!(declaration(text, b'\n'), None);
        }
    }

    #[test]
    fn the_header_and_agreement_decide() {
        for (text, separator) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("a\tb\n1\t2\n", b'\t'),
            ("a|b,c\n1|2\n3|4\n", b'|'),
            ("\"a;b\",c\n1,2\n", b','),
            ("a,b;c\n1,2\n3,4\n", b','),
            ("alone\n1\n", b','),
            ("", b','),
        ] {
            assert_eq!(detect(text.as_bytes(), b'\n'), separator, "{text:?}");
        }
    }
}

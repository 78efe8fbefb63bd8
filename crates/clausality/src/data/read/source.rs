//! Bytes from a file, a pipe or a gzip stream, within bounds.

use crate::data::Bounds;
use crate::data::problem::Problem;
use crate::error::{Error, Place};
use flate2::read::MultiGzDecoder;
use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

pub(in crate::data) use crate::words::readable_size;

/// An input, decompressed if its first bytes say gzip.
pub(in crate::data) struct Source<'r> {
    name: String,
    bytes: Bytes<'r>,
    bounds: Bounds,
    /// Bytes handed out so far.
    read: u64,
}

enum Bytes<'r> {
    Plain(Box<dyn Read + 'r>),
    Gzip { decoder: Box<MultiGzDecoder<Counted<'r>>>, compressed: Rc<Cell<u64>> },
}

/// Counts what is read through it.
struct Counted<'r> {
    from: Box<dyn Read + 'r>,
    count: Rc<Cell<u64>>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        self.count.set(self.count.get() + read as u64);
        Ok(read)
    }
}

impl<'r> Source<'r> {
    /// Looks at the first bytes and prepares to read.
    pub(in crate::data) fn open(
        mut from: impl Read + 'r,
        name: &str,
        bounds: &Bounds,
    ) -> Result<Self, Error> {
        let mut start = [0; 2];
        let mut known = 0;
        while known < start.len() {
            match read_some(&mut from, &mut start[known..]) {
                Ok(0) => break,
                Ok(read) => known += read,
                Err(source) => return Err(Error::Io { file: name.to_string(), source }),
            }
        }
        let whole = Box::new(io::Cursor::new(start).take(known as u64).chain(from));
        let bytes = if start == [0x1f, 0x8b] {
            let compressed = Rc::new(Cell::new(0));
            let counted = Counted { from: whole, count: Rc::clone(&compressed) };
            Bytes::Gzip { decoder: Box::new(MultiGzDecoder::new(counted)), compressed }
        } else {
            Bytes::Plain(whole)
        };
        Ok(Source { name: name.to_string(), bytes, bounds: *bounds, read: 0 })
    }

    /// The input as the user named it.
    pub(in crate::data) fn name(&self) -> &str {
        &self.name
    }

    /// Reads some bytes; none means the end.
    pub(in crate::data) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let result = match &mut self.bytes {
            Bytes::Plain(from) => read_some(from, buffer),
            Bytes::Gzip { decoder, .. } => read_some(decoder, buffer).map_err(damaged),
        };
        let read = result.map_err(|source| Error::Io { file: self.name.clone(), source })?;
        self.read += read as u64;
        if let Bytes::Gzip { compressed, .. } = &self.bytes {
            let allowed =
                self.bounds.decompressed.max(compressed.get().saturating_mul(self.bounds.expansion));
            if self.read > allowed {
                let problem = Problem::DecompressedSize { limit: readable_size(allowed) };
                return Err(Error::table(Place::file(&self.name), problem));
            }
        }
        Ok(read)
    }
}

/// What is wrong with a gzip stream, in words that say what to do; whatever else failed as it is.
fn damaged(error: io::Error) -> io::Error {
    let what = match error.kind() {
        io::ErrorKind::UnexpectedEof => "its gzip data end too early",
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => "its gzip data are damaged",
        _ => return error,
    };
    let rest = "or something that is no gzip follows them: fetch or pack it again";
    io::Error::new(error.kind(), format!("{what}, {rest}"))
}

fn read_some(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match from.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn drain(from: &[u8], bounds: Bounds) -> Result<Vec<u8>, Error> {
        let mut source = Source::open(from, "t", &bounds)?;
        let (mut all, mut buffer) = (Vec::new(), [0; 1000]);
        loop {
            match source.read(&mut buffer)? {
                0 => return Ok(all),
                read => all.extend_from_slice(&buffer[..read]),
            }
        }
    }

    #[test]
    fn gzip_is_seen_by_its_bytes_and_may_have_several_members() {
        let mut two = gzip(b"a,b\n");
        two.extend(gzip(b"1,2\n"));
        assert_eq!(drain(&two, Bounds::default()).unwrap(), b"a,b\n1,2\n");
        for plain in [&b"a,b\n"[..], b"a", b""] {
            assert_eq!(drain(plain, Bounds::default()).unwrap(), plain);
        }
    }

    #[test]
    fn a_bomb_is_refused_and_a_stump_is_an_error() {
        let bomb = gzip(&vec![b'a'; 1 << 20]);
        let bounds = Bounds { decompressed: 1 << 16, expansion: 100, ..Bounds::default() };
        assert!(drain(&bomb, bounds).unwrap_err().to_string().contains("decompresses to more than"));
        assert_eq!(drain(&bomb, Bounds { expansion: 2000, ..bounds }).unwrap().len(), 1 << 20);
        let refused = |bytes: &[u8]| drain(bytes, Bounds::default()).unwrap_err().to_string();
        assert!(refused(&bomb[..bomb.len() - 9]).contains("its gzip data end too early, or "));
        assert!(
            refused(&[&gzip(b"a,b\n1,2\n")[..], b"and more"].concat()).contains("fetch or pack it again")
        );
        let mut spoiled = gzip(b"a,b\n1,2\n");
        *spoiled.last_mut().unwrap() ^= 1;
        assert!(refused(&spoiled).contains("its gzip data are damaged, or "));
    }
}

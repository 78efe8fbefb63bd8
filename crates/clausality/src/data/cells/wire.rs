//! Numbers and bytes one after the other, as they are kept and sent.

use std::io::{self, Read, Write};

pub(in crate::data) fn put(out: &mut dyn Write, number: u64) -> io::Result<()> {
    out.write_all(&number.to_le_bytes())
}

pub(in crate::data) fn put_bytes(out: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    put(out, bytes.len() as u64)?;
    out.write_all(bytes)
}

/// Numbers of some bytes each, one after the other.
pub(in crate::data) fn put_all<const N: usize>(
    out: &mut dyn Write,
    numbers: impl ExactSizeIterator<Item = [u8; N]>,
) -> io::Result<()> {
    put(out, (numbers.len() * N) as u64)?;
    numbers.into_iter().try_for_each(|number| out.write_all(&number))
}

pub(in crate::data) fn take(from: &mut dyn Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

/// Takes as much memory as there are bytes, whatever their number is said to be.
pub(in crate::data) fn take_bytes(from: &mut dyn Read) -> io::Result<Vec<u8>> {
    let length = take(from)?;
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

pub(in crate::data) fn take_all<const N: usize, T>(
    from: &mut dyn Read,
    number: impl Fn([u8; N]) -> T,
) -> io::Result<Vec<T>> {
    let bytes = take_bytes(from)?;
    let (numbers, rest) = bytes.as_chunks::<N>();
    if rest.is_empty() { Ok(numbers.iter().map(|&bytes| number(bytes)).collect()) } else { Err(torn()) }
}

/// That these are no bytes of ours.
pub(in crate::data) fn torn() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

//! Taking connections as fast as they come, so that nobody finds the operating system's own line full and tries again a second later.
//!
//! All that wait there are taken at once, which costs a few microseconds each. Where they are more than have a turn next, those who came first leave
//! before anything is made for them; unless what they have sent shows a secret.

use crate::gate::Gate;
use crate::room::BUSY;
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};

/// Connections that are taken before those taken have their turn.
const MOST: usize = 1024;
/// What is looked at of a request; the headers of a browser are smaller.
const START: usize = 8 << 10;

/// Takes all that wait, and gives those that have their turn, `places` of them and all that show a secret. The error is that of the operating system: too many open files, say.
pub(crate) fn take(
    listener: &TcpListener,
    first: TcpStream,
    places: usize,
    gate: &Gate,
) -> (Vec<TcpStream>, io::Result<()>) {
    let mut known = vec![];
    let mut others = VecDeque::from([first]);
    let mut ended = Ok(());
    for _ in 0..MOST {
        match listener.accept() {
            // What cannot be made ready is dropped.
            Ok((stream, _)) => others.extend(stream.set_nonblocking(true).is_ok().then_some(stream)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            // It broke off while it waited.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(error) => {
                ended = Err(error);
                break;
            }
        }
        if others.len() > places
            && let Some(stream) = others.pop_front()
        {
            known.extend(shows_secret(stream, gate));
        }
    }
    known.extend(others);
    (known, ended)
}

/// The connection, if what was sent shows a secret; else whoever asked is told to come again.
fn shows_secret(mut stream: TcpStream, gate: &Gate) -> Option<TcpStream> {
    let mut start = [0; START];
    let length = stream.peek(&mut start).unwrap_or(0);
    if gate.is_shown(&start[..length]) {
        return Some(stream);
    }
    // Closing with bytes unread would take the answer back.
    if length > 0 && stream.read(&mut start).is_ok() {
        let _ = stream.write(BUSY);
    }
    None
}

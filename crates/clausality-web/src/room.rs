//! Who is connected: a share of the places for strangers, a share that is kept for those who were let in.
//!
//! A connection enters as a stranger. The first request with a secret moves it to the other share (see the gate); any other request is answered and
//! the connection closed. Where a share is full, somebody leaves for whoever comes: of the strangers the one that came first, of those let in the one
//! that does not read its answer, or has been still for longest. So nobody waits for a place, however many come, stay silent, or never read.

use socket2::SockRef;
use std::collections::BTreeMap;
use std::io;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::net::TcpStream;

/// How many connections there may be, by what the operating system gives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places {
    /// For those who have not shown a secret yet.
    strangers: usize,
    /// Kept for those let in.
    let_in: usize,
    /// That are taken together and not seated yet.
    pub(crate) taken: usize,
}

/// Files that are enough for all places there ever are.
const FILES: u64 = 4096;

impl Places {
    /// The places of a process that may have so many files open.
    pub(crate) fn of(files: u64) -> Self {
        let share = |part: u64| usize::try_from(files.min(FILES) / part).unwrap_or(0).max(1);
        Places { strangers: share(2), let_in: share(4).min(512), taken: share(8) }
    }

    /// Those of this process, which first asks for more files where it may.
    #[cfg(unix)]
    pub(crate) fn here() -> Self {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let wanted = maximum.map_or(FILES, |most| most.min(FILES));
        let has = current.unwrap_or(FILES);
        let more = Rlimit { current: Some(wanted), maximum };
        Places::of(if has < wanted && setrlimit(Resource::Nofile, more).is_ok() { wanted } else { has })
    }

    #[cfg(not(unix))]
    pub(crate) fn here() -> Self {
        Places::of(FILES)
    }
}

/// What somebody hears who has to leave before asking anything.
pub(crate) const BUSY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json; charset=utf-8\r\n\
    content-length: 55\r\nretry-after: 1\r\ncache-control: no-store\r\nconnection: close\r\n\r\n\
    {\"error\":\"too many connections: try again in a moment\"}";

/// All open connections, in the order in which they came.
#[derive(Debug)]
pub(crate) struct Room {
    places: Places,
    opened: Instant,
    shares: Mutex<Shares>,
}

#[derive(Debug, Default)]
struct Shares {
    came: u64,
    strangers: BTreeMap<u64, Arc<Place>>,
    let_in: BTreeMap<u64, Arc<Place>>,
}

/// One connection, as the others see it.
#[derive(Debug)]
struct Place {
    stream: Arc<TcpStream>,
    /// When bytes last went through, in milliseconds since the room was opened.
    moved: AtomicU64,
    /// Whether an answer waits for the client to read.
    stuck: AtomicBool,
}

/// A place as its connection holds it; dropped, it is free.
#[derive(Debug)]
pub(crate) struct Seat {
    room: Arc<Room>,
    number: u64,
    place: Arc<Place>,
}

impl Room {
    pub(crate) fn new(places: Places) -> Arc<Self> {
        Arc::new(Room { places, opened: Instant::now(), shares: Mutex::default() })
    }

    /// A place for a stranger; where there is none, the first of them leaves.
    pub(crate) fn enter(self: &Arc<Self>, stream: Arc<TcpStream>) -> Seat {
        let place =
            Arc::new(Place { stream, moved: AtomicU64::new(self.now()), stuck: AtomicBool::new(false) });
        let mut shares = self.shares();
        let number = shares.came;
        shares.came += 1;
        let first =
            if shares.strangers.len() < self.places.strangers { None } else { shares.strangers.pop_first() };
        shares.strangers.insert(number, place.clone());
        drop(shares);
        if let Some((_, first)) = first {
            first.turn_away();
        }
        Seat { room: self.clone(), number, place }
    }

    /// The strangers that came first leave, half of them: the operating system gives no more connections.
    pub(crate) fn make_room(&self) {
        let mut shares = self.shares();
        let leaving = shares.strangers.len().div_ceil(2);
        let first: Vec<_> = (0..leaving).filter_map(|_| shares.strangers.pop_first()).collect();
        drop(shares);
        first.iter().for_each(|(_, first)| first.turn_away());
    }

    fn now(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn shares(&self) -> MutexGuard<'_, Shares> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Whoever sits here has shown a secret.
    pub(crate) fn let_in(&self) {
        let mut shares = self.room.shares();
        let Some(place) = shares.strangers.remove(&self.number) else { return };
        let stillest = match shares.let_in.len() < self.room.places.let_in {
            true => None,
            false => {
                let stillest = shares.let_in.iter().min_by_key(|(_, place)| place.stillness());
                stillest.map(|(&number, _)| number).and_then(|number| shares.let_in.remove(&number))
            }
        };
        shares.let_in.insert(self.number, place);
        drop(shares);
        if let Some(stillest) = stillest {
            stillest.end();
        }
    }

    /// Bytes went through.
    pub(crate) fn moved(&self) {
        self.place.moved.store(self.room.now(), Ordering::Relaxed);
    }

    /// Whether an answer waits for the client to read.
    pub(crate) fn stuck(&self, is_stuck: bool) {
        self.place.stuck.store(is_stuck, Ordering::Relaxed);
    }

    pub(crate) fn stream(&self) -> &TcpStream {
        &self.place.stream
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut shares = self.room.shares();
        shares.strangers.remove(&self.number);
        shares.let_in.remove(&self.number);
    }
}

impl Place {
    /// The least leaves first: those who do not read before those who only pause.
    fn stillness(&self) -> (bool, u64) {
        (!self.stuck.load(Ordering::Relaxed), self.moved.load(Ordering::Relaxed))
    }

    /// Says why and ends; whoever does not read cannot hold this up.
    fn turn_away(&self) {
        let _ = self.stream.try_write(BUSY);
        self.end();
    }

    /// Its task reads the end of the stream, or fails to write, and closes it.
    fn end(&self) {
        let _ = shut(&self.stream, Shutdown::Both);
    }
}

/// Ends a direction of a connection that is shared.
pub(crate) fn shut(stream: &TcpStream, how: Shutdown) -> io::Result<()> {
    SockRef::from(stream).shutdown(how)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_leave_files_for_others() {
        for files in [64, 256, 1024, 4096, 1 << 20] {
            let Places { strangers, let_in, taken } = Places::of(files);
            assert!(let_in >= 16 && ((strangers + let_in + taken) as u64) < files, "{files}");
        }
        assert!(Places::of(0).let_in > 0);
    }

    #[test]
    fn the_early_answer_says_how_long_it_is() {
        let text = std::str::from_utf8(BUSY).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{}", body.len());
        assert!(serde_json::from_str::<serde_json::Value>(body).unwrap()["error"].is_string());
    }
}

//! Clients that mean no good: however many there are, whoever was let in is answered.

mod running;

use running::{Running, embedded, explored};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// One attack at a time: all connections of a machine share its memory for them, and the files of this process.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn connect(server: &Running) -> TcpStream {
    let stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

/// Requests after requests, as many as the wire takes; nothing is ever read.
fn pipeline(server: &Running, request: &str) -> TcpStream {
    let mut stream = connect(server);
    let many = request.repeat(200);
    stream.set_nonblocking(true).unwrap();
    for _ in 0..100 {
        match stream.write_all(many.as_bytes()) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            // The server has closed it.
            Err(_) => break,
        }
    }
    stream
}

fn asked(server: &Running, path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{headers}\r\n", server.address)
}

#[test]
fn a_stranger_is_answered_once() {
    let _alone = alone();
    let server = Running::start(explored(embedded("asia")));
    let mut stream = connect(&server);
    stream.write_all(asked(&server, "/api/network", "").repeat(3).as_bytes()).unwrap();
    let mut text = String::new();
    let _ = stream.read_to_string(&mut text);
    assert_eq!(text.matches("HTTP/1.1 ").count(), 1, "{text}");
    assert!(text.starts_with("HTTP/1.1 401") && text.contains("\r\nconnection: close\r\n"), "{text}");
    // Who was let in goes on.
    let mut stream = connect(&server);
    let ask = asked(&server, "/nowhere", &format!("{}\r\n", server.bearer()));
    let last = asked(&server, "/nowhere", &format!("{}\r\nConnection: close\r\n", server.bearer()));
    stream.write_all(format!("{ask}{ask}{last}").as_bytes()).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert_eq!(text.matches("HTTP/1.1 404").count(), 3, "{text}");
}

#[test]
fn strangers_who_never_read_stop_nobody() {
    let _alone = alone();
    let server = Running::start(explored(embedded("asia")));
    let request = asked(&server, "/", "");
    let strangers: Vec<TcpStream> = (0..600).map(|_| pipeline(&server, &request)).collect();
    for _ in 0..20 {
        assert_eq!(server.get("/api/network").status, 200);
    }
    drop(strangers);
}

#[test]
fn who_was_let_in_and_never_reads_stops_nobody() {
    let _alone = alone();
    let server = Running::start(explored(embedded("alarm")));
    let request = asked(&server, "/api/network", &format!("{}\r\n", server.bearer()));
    let known: Vec<TcpStream> = (0..600).map(|_| pipeline(&server, &request)).collect();
    for _ in 0..20 {
        assert_eq!(server.get("/api/network").status, 200);
    }
    drop(known);
}

#[test]
fn silent_strangers_leave_for_others() {
    let _alone = alone();
    let server = Running::start(explored(embedded("asia")));
    let ask = asked(&server, "/api/node/0", &format!("{}\r\n", server.bearer()));
    // Let in before they come, on a connection that stays.
    let mut known = connect(&server);
    let mut answer = [0; 4096];
    let mut next = |known: &mut TcpStream| {
        known.write_all(ask.as_bytes()).unwrap();
        let length = known.read(&mut answer).unwrap();
        String::from_utf8_lossy(&answer[..length]).into_owned()
    };
    assert!(next(&mut known).starts_with("HTTP/1.1 200"));
    let mut silent: Vec<TcpStream> = (0..3000).map(|_| connect(&server)).collect();
    assert!(next(&mut known).starts_with("HTTP/1.1 200"));
    assert_eq!(server.get("/api/network").status, 200);
    // The first of them had to leave, and heard why if it was seated; the last ones are still here.
    let mut text = String::new();
    silent[0].read_to_string(&mut text).unwrap();
    assert!(
        text.is_empty() || text.starts_with("HTTP/1.1 503") && text.contains("too many connections"),
        "{text}"
    );
    let last = silent.last_mut().unwrap();
    last.write_all(ask.as_bytes()).unwrap();
    let mut start = [0; 12];
    last.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 200");
}

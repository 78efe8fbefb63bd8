//! A server on a port of its own, and a client that sends what it is told to, byte for byte.
#![allow(dead_code, reason = "each test uses its part")]

use clausality::bn::{Network, sample};
use clausality::model::{Model, Rows};
use clausality_web::{Explored, Server, Stopper};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A running server, ended when dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) token: String,
    pub(crate) once: String,
    pub(crate) stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find(|line| line.to_lowercase().starts_with(&format!("{name}:")))?;
        Some(line[name.len() + 1..].trim())
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

pub(crate) fn token(url: &str) -> String {
    url.split_once("?token=").unwrap().1.to_string()
}

pub(crate) fn explored(network: Network) -> Explored {
    let rows = sample(&network, 5, 1);
    let model = Model { network: network.into(), extra: Default::default(), source: "net.bif".into() };
    let rows = Some(Rows::of("rows.csv", rows));
    Explored { rows, ..Explored::new(model, "net.bif".into()) }
}

pub(crate) fn embedded(name: &str) -> Network {
    clausality::embedded::network(name).unwrap()
}

impl Running {
    pub(crate) fn start(explored: Explored) -> Self {
        let server = Server::bind(explored, "127.0.0.1", 0).unwrap();
        let (address, stopper) = (server.address(), server.stopper());
        let (token, once) = (token(&server.url()), token(&server.url_once()));
        let thread = Some(thread::spawn(move || server.run().unwrap()));
        Running { address, token, once, stopper, thread }
    }

    /// Sends these bytes and reads until the server closes.
    pub(crate) fn raw(&self, request: &str) -> Reply {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = vec![];
        // A server that stops reading may end with a reset after its answer.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) =
            text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer to {request}: {text}"));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap();
        Reply { status, head: head.to_string(), body: body.to_string() }
    }

    /// A request with some headers, to the host itself.
    pub(crate) fn ask(&self, line: &str, headers: &[&str], body: &str) -> Reply {
        let mut request = format!("{line} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        headers.iter().for_each(|header| request.push_str(&format!("{header}\r\n")));
        if !body.is_empty() {
            request.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        self.raw(&format!("{request}\r\n{body}"))
    }

    pub(crate) fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.token)
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.ask(&format!("GET {path}"), &[&self.bearer()], "")
    }

    pub(crate) fn post(&self, path: &str, kind: &str, body: &str) -> Reply {
        self.ask(&format!("POST {path}"), &[&self.bearer(), &format!("Content-Type: {kind}")], body)
    }

    pub(crate) fn question(&self, path: &str, question: &Value) -> Reply {
        self.post(path, "application/json", &question.to_string())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

//! The command around the explorer: what it prints, how it ends, and what it refuses.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.arg("explore").args(args).arg("--no-open").env("COLUMNS", "80");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn refused(args: &[&str], code: i32) -> String {
    let Output { status, stdout, stderr } = command(args).output().unwrap();
    let text = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(code), "{args:?}: {text}");
    assert!(stdout.is_empty());
    assert!(text.starts_with("error: ") && text.lines().count() == 1, "{text}");
    text
}

/// Starts it; standard output is read up to a line that ends so.
fn started(args: &[&str], end: &str) -> (Child, BufReader<ChildStdout>, String) {
    let mut child = command(args).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    while !text.ends_with(end) {
        assert_ne!(out.read_line(&mut text).unwrap(), 0, "it ended early: {text}");
    }
    (child, out, text)
}

/// What is left to read after Ctrl-C, and how it ended.
#[cfg(unix)]
fn interrupted(mut child: Child, mut out: BufReader<ChildStdout>) -> (Option<i32>, String) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut rest).unwrap();
    (child.wait().unwrap().code(), rest)
}

#[cfg(unix)]
#[test]
fn the_address_is_the_result_and_ctrl_c_the_end() {
    let (child, out, text) = started(&["@asia"], "\n");
    let address = text.trim().strip_prefix("http://").and_then(|rest| rest.split_once("/?token=")).unwrap();
    let mut stream = TcpStream::connect(address.0).unwrap();
    let request = format!(
        "GET /api/network HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
        address.0, address.1
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("\"model\":\"@asia\""), "{answer:.300}");
    let (code, rest) = interrupted(child, out);
    assert_eq!((code, rest.as_str()), (Some(0), "Ctrl-C ends the explorer\n"));
}

#[cfg(unix)]
#[test]
fn the_address_as_json() {
    let (child, out, text) = started(&["@asia", "--json", "--quiet"], "\n}\n");
    let document: Value = serde_json::from_str(&text).unwrap();
    let start = format!("http://127.0.0.1:{}/?token=", document["port"]);
    assert!(document["url"].as_str().unwrap().starts_with(&start), "{document}");
    assert_eq!((&document["host"], &document["model"]), (&"127.0.0.1".into(), &"@asia".into()));
    assert_eq!(interrupted(child, out), (Some(0), String::new()));
}

#[cfg(unix)]
#[test]
fn other_hosts_are_warned_about() {
    let (child, out, text) = started(&["@asia", "--host", "0.0.0.0", "--quiet"], "\n");
    assert!(text.starts_with("http://127.0.0.1:"), "{text}");
    let (code, rest) = interrupted(child, out);
    assert!(code == Some(0) && rest.starts_with("warning: --host 0.0.0.0: other machines"), "{rest}");
}

#[cfg(unix)]
#[test]
fn a_folder_with_a_network_alone_is_shown_without_rules() {
    let folder = tempfile::tempdir().unwrap();
    let network = folder.path().join("network.bif");
    let written = Command::new(env!("CARGO_BIN_EXE_clausality"))
        .args(["convert", "@asia", "--quiet", "-o"])
        .arg(&network)
        .status();
    assert!(written.unwrap().success());
    let name = folder.path().to_str().unwrap();
    let (child, out, _) = started(&[name], "\n");
    let (code, rest) = interrupted(child, out);
    let note = format!("{name} has no run.json: the network is shown without rules and strengths\n");
    assert!(code == Some(0) && rest.starts_with(&note), "{rest}");
    // The limit holds for the file as it does for `query`.
    let text = refused(&[network.to_str().unwrap(), "--memory-limit", "100"], 3);
    assert!(text.contains("--memory-limit"), "{text}");
}

#[test]
fn what_is_refused() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let text = refused(&["@asia", "--port", &port], 1);
    assert!(
        text.contains(&format!("port {port}")) && text.contains("in use") && text.contains("--port N"),
        "{text}"
    );
    refused(&["@asia", "--port", "70000"], 2);
    refused(&["@asia", "--host", "no.such.invalid"], 2);
    refused(&["@nowhere"], 2);
    refused(&["missing.bif"], 2);
    let nothing = refused(&["nofolder"], 2);
    assert!(
        nothing.starts_with("error: nofolder: there is no such file or folder; expected a network"),
        "{nothing}"
    );
    refused(&["@asia", "--table", "missing.csv"], 2);
}

#[test]
fn a_network_of_other_things_is_not_held_against_it() {
    let text = refused(&["@asia", "--against", "@alarm"], 2);
    assert!(text.contains("@asia") && text.contains("@alarm"), "{text}");
    assert!(refused(&["@asia", "--against", "gone.bif"], 2).contains("gone.bif"));
}

//! What the program said, and how it is run where its end is waited for elsewhere.

use std::process::Output;

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The program in a folder, not started yet, with nothing to read and both streams kept.
#[cfg(target_os = "linux")]
pub(crate) fn piped(folder: &std::path::Path, args: &[&str]) -> std::process::Command {
    use std::process::Stdio;
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_clausality"));
    command.args(args).current_dir(folder).env("COLUMNS", "80");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

//! The options that hold everywhere.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct GlobalArgs {
    /// Seed of all random choices: the same seed gives the same networks, to the last bit [default: 1]
    #[arg(long, global = true, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Threads to work with; never changes a result [default: all cores]
    #[arg(long, global = true, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Refuse work that needs more memory, and larger network files; such as 512M or 4G [default: half of the machine's]
    #[arg(long, global = true, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory_limit: Option<u64>,
    /// Take options from a TOML file with the same names; the command line overrides it
    #[arg(long, global = true, value_name = "FILE.toml")]
    pub(crate) config: Option<PathBuf>,
    /// Print one JSON document and nothing else on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No progress and no notes; warnings and errors still come
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// How to show how far the work is
    #[arg(long, global = true, value_name = "HOW", value_enum, default_value_t = How::Auto)]
    pub(crate) progress: How,
    /// Colour the text
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

/// How to show how far the work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum How {
    /// A bar on a terminal, nothing elsewhere
    Auto,
    /// A line now and then, also off a terminal
    Plain,
    /// Not at all
    Off,
}

/// When to colour the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Reads a size such as `800`, `64K`, `512M`, `1.5G` or `2GiB`; units are powers of 1024.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || format!("'{text}' is no size such as 512M or 4G");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().map_err(|_| wrong())?;
    let shift = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => return Err(wrong()),
    };
    let bytes = number * (1u64 << shift) as f64;
    if bytes >= 1.0 && bytes < u64::MAX as f64 { Ok(bytes as u64) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(parse_size("512M"), Ok(512 << 20));
        assert_eq!(parse_size("1.5GiB"), Ok(3 << 29));
        assert_eq!(parse_size("800"), Ok(800));
        for wrong in ["", "M", "12X", "-1", "0", "1e9G", "1.2.3M"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}

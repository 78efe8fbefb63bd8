//! Reads networks and writes them with our own writer, packed: how `crates/clausality/networks` was made.
//!
//! `cargo run -p clausality-bn --example rewrite_networks -- FROM TO asia cancer …` reads `FROM/asia.bif.gz` and writes
//! `TO/asia.bif.gz`. The packed files hold no time and no file name, so a second run gives the same bytes.

use clausality_bn::io::{Limits, bif};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use std::io::{Read, Write};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(from), Some(to)) = (arguments.next(), arguments.next()) else {
        return Err("usage: rewrite_networks FROM TO NAME…".into());
    };
    for name in arguments {
        let file = format!("{name}.bif.gz");
        let mut bytes = Vec::new();
        GzDecoder::new(std::fs::File::open(Path::new(&from).join(&file))?).read_to_end(&mut bytes)?;
        let network = bif::read(&bytes, &Limits::default())?.renamed(&name);
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(bif::write(&network).as_bytes())?;
        std::fs::write(Path::new(&to).join(&file), packed.finish()?)?;
        println!("{name}: {} nodes, {} arcs", network.len(), network.dag().arc_count());
    }
    Ok(())
}

//! Packs the player of pages: `assets/player.js`, compressed and as text, so that a page can hold it.
use flate2::{Compression, write::GzEncoder};
use std::{env, error::Error, fs, io::Write, path::Path};

#[path = "src/base64.rs"]
mod base64;

fn main() -> Result<(), Box<dyn Error>> {
    let script = "assets/player.js";
    println!("cargo::rerun-if-changed={script}");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/base64.rs");
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&fs::read(script)?)?;
    let text = base64::base64(&packed.finish()?);
    fs::write(Path::new(&env::var("OUT_DIR")?).join("player.txt"), text)?;
    Ok(())
}

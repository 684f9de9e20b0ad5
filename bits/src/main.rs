//! Prints the hash and the name of every case.
#![expect(clippy::print_stdout, reason = "it talks over a pipe")]

use holonomy_bits::Case;

fn main() {
    for case in Case::all() {
        println!("{:016x} {}", case.hash(), case.name());
    }
}

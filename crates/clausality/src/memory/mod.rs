//! Memory as a promise: what work will take is planned before it begins, what it takes is watched while it goes on.
//!
//! ```text
//! room    = what the user allows, else half of the machine's memory; never more than the address space (`ulimit -v`) or the
//!           control group (a container) leaves
//! plan    = Σ over all that the work will hold of its bytes;   refused before it begins if plan > room + GRACE
//! resident memory − what was resident before  ≤  room + GRACE, looked at a hundred times a second; else the work is stopped
//! ```
//!
//! Every room of this floor states what its own work holds, beside the types that hold it ([`Plan::need`]); whoever begins
//! the work adds that up and asks ([`Plan::check`]). A plan is a sum of sizes that are known, and an estimate where they hang
//! on what is found; [`guarded`] is for where the estimate is too low. Neither changes a result: they let work be, or end it
//! with [`TooMuch`].
//!
//! The program itself and the small change of any work come on top of the room: together less than 64 MiB.

mod guard;
mod here;
mod plan;

pub use guard::{enough_addresses, guarded};
pub use here::{Held, Room, SetBy, addresses_are_scarce};
pub use plan::{Plan, TooMuch, product, text_bytes};

/// What work may take beyond its room before it is refused: buffers, tables of logarithms, stacks, whatever is not worth a plan.
pub const GRACE: u64 = 32 << 20;

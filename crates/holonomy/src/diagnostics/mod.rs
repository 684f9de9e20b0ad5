//! Numbers that say whether a run can be trusted.
mod balance;
mod drift;
mod growth;
mod modified;
mod order;
mod parts;
mod record;
mod symplecticity;

pub use crate::derivative::Momenta;
pub use balance::BalanceRecord;
pub use drift::{Drift, DriftFit};
pub use growth::{Exponent, Shadow};
pub use modified::second_term;
pub use order::{distance, distance_in, observed_order, reversal_error};
pub use parts::{Part, Parts};
pub use record::{EnergyRecord, Record};
pub use symplecticity::{symplecticity_defect, symplecticity_defect_within};

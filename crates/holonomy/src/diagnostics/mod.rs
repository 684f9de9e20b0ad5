//! Numbers that say whether a run can be trusted.
mod balance;
mod drift;
mod order;
mod record;
mod symplecticity;

pub use balance::BalanceRecord;
pub use drift::{Drift, DriftFit};
pub use order::{distance, observed_order, reversal_error};
pub use record::{EnergyRecord, Record};
pub use symplecticity::{symplecticity_defect, symplecticity_defect_within};

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

/// Why a potential written by a user could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a potential failed: {message}")]
pub struct PotentialFault {
    /// In the words of who wrote it.
    pub message: String,
}

/// Where a potential reports that it failed: it has one, hands it out by [`super::Potential::faults`], and returns any
/// number from the call that failed. A simulation looks into it after every step and measurement, takes that step back
/// and ends with the message.
///
/// The first report stays until [`FaultSlot::clear`]: no run goes on with a potential that failed. Simulations that
/// share the potential all stop.
///
/// ```
/// use holonomy::{Vec3, potential::{FaultSlot, Potential}};
/// use std::sync::Arc;
///
/// struct Table { faults: Arc<FaultSlot> }
///
/// impl Table {
///     fn look_up(&self, r: f64) -> f64 {
///         if r > 2.0 {
///             self.faults.report(format!("the table ends at 2 m, r = {r} m"));
///             return f64::NAN;
///         }
///         r * r
///     }
/// }
///
/// impl Potential for Table {
///     fn energy(&self, points: &[Vec3]) -> f64 {
///         self.look_up(points[0].z)
///     }
///     fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]) {
///         gradient[0].z += 2.0 * self.look_up(points[0].z) / points[0].z;
///     }
///     fn faults(&self) -> Option<Arc<FaultSlot>> {
///         Some(self.faults.clone())
///     }
/// }
/// ```
#[derive(Debug, Default)]
pub struct FaultSlot {
    reported: AtomicBool,
    fault: Mutex<Option<PotentialFault>>,
}

impl FaultSlot {
    /// Reports a failure, from any thread; later ones do not replace it.
    pub fn report(&self, message: impl Into<String>) {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        fault.get_or_insert_with(|| PotentialFault {
            message: message.into(),
        });
        self.reported.store(true, Ordering::Release);
    }

    /// What was reported.
    pub fn fault(&self) -> Option<PotentialFault> {
        if !self.reported.load(Ordering::Acquire) {
            return None;
        }
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Forgets it: the potential can be used again.
    pub fn clear(&self) {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        *fault = None;
        self.reported.store(false, Ordering::Release);
    }
}

//! An energy that a program computes: `V(r₁, …, rₘ)` and its gradient, from a function that is handed over.
use super::{FaultSlot, Potential};
use crate::Vec3;
use std::sync::{Arc, Mutex};

/// A function of points with its gradient.
pub trait PointEnergy: Send + Sync {
    /// The energy, J, at the points; `∂V/∂rₖ` goes into `gradient[k]`, which is zero before.
    fn evaluate(&self, points: &[Vec3], gradient: &mut [Vec3]) -> f64;
    /// Where it reports that it failed, if it can.
    fn faults(&self) -> Option<Arc<FaultSlot>> {
        None
    }
}

/// A potential whose energy a program computes.
///
/// ```
/// use holonomy::{Vec3, potential::{GivenPotential, PointEnergy, Potential}};
/// use std::sync::Arc;
///
/// struct Stretch;
/// impl PointEnergy for Stretch {
///     fn evaluate(&self, r: &[Vec3], gradient: &mut [Vec3]) -> f64 {
///         let d = r[0] - r[1];
///         (gradient[0], gradient[1]) = (d, -d);
///         0.5 * d.norm_squared()
///     }
/// }
/// // Its points are 4 and 1 of a system.
/// let potential = GivenPotential::new(Arc::new(Stretch), vec![4, 1]);
/// let mut points = vec![Vec3::zeros(); 5];
/// points[4] = Vec3::new(3.0, 0.0, 4.0);
/// assert_eq!(potential.energy(&points), 12.5);
/// ```
pub struct GivenPotential {
    function: Arc<dyn PointEnergy>,
    members: Vec<usize>,
    /// Memory, used again. A second thread that finds it taken makes its own.
    buffers: Mutex<Buffers>,
}

#[derive(Default)]
struct Buffers {
    points: Vec<Vec3>,
    gradient: Vec<Vec3>,
}

impl GivenPotential {
    /// A function of these points of a system.
    pub fn new(function: Arc<dyn PointEnergy>, members: Vec<usize>) -> Self {
        Self {
            function,
            members,
            buffers: Mutex::default(),
        }
    }

    fn with<R>(&self, points: &[Vec3], act: impl FnOnce(f64, &[Vec3]) -> R) -> R {
        match self.buffers.try_lock() {
            Ok(mut buffers) => self.evaluate(points, &mut buffers, act),
            Err(_) => self.evaluate(points, &mut Buffers::default(), act),
        }
    }

    fn evaluate<R>(&self, points: &[Vec3], buffers: &mut Buffers, act: impl FnOnce(f64, &[Vec3]) -> R) -> R {
        let Buffers {
            points: places,
            gradient,
        } = buffers;
        places.clear();
        places.extend(self.members.iter().map(|k| points[*k]));
        gradient.clear();
        gradient.resize(self.members.len(), Vec3::zeros());
        let energy = self.function.evaluate(places, gradient);
        act(energy, gradient)
    }
}

impl Potential for GivenPotential {
    fn energy(&self, points: &[Vec3]) -> f64 {
        self.with(points, |energy, _| energy)
    }

    fn add_gradient(&self, points: &[Vec3], gradient: &mut [Vec3]) {
        self.with(points, |_, slopes| {
            for (k, slope) in self.members.iter().zip(slopes) {
                gradient[*k] += slope;
            }
        });
    }

    fn members(&self) -> Option<&[usize]> {
        Some(&self.members)
    }

    fn faults(&self) -> Option<Arc<FaultSlot>> {
        self.function.faults()
    }
}

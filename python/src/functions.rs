//! Energies and forces that Python hands over: compiled ones by their address, others as callables.
//!
//! ```text
//! energy   double f(const double *points, double *gradient)               m points of three numbers, ∂V/∂r in place
//! force    void f(double t, const double *q, const double *v, double *f)  generalized, one for each velocity
//! ```
//! An exception in a callable is kept and raised again where the step was asked for; the step is taken back.
use crate::{errors, values};
use holonomy::{
    Vec3,
    potential::{FaultSlot, PointEnergy},
};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::{exceptions::PyValueError, prelude::*};
use std::sync::{Arc, Mutex, PoisonError};

/// Where exceptions of callables wait to be raised again.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    pub(crate) fn keep(&self, error: PyErr) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(error);
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

type CompiledEnergy = extern "C" fn(*const f64, *mut f64) -> f64;
type CompiledForce = extern "C" fn(f64, *const f64, *const f64, *mut f64);

/// An energy with its gradient, at an address.
pub(crate) struct AddressEnergy(CompiledEnergy);

impl AddressEnergy {
    #[expect(
        unsafe_code,
        reason = "the address of a compiled function, for which its author answers"
    )]
    pub(crate) fn new(address: usize) -> PyResult<Self> {
        if address == 0 {
            return Err(PyValueError::new_err("the address of the function is zero"));
        }
        // SAFETY: the caller hands over the address of a function of this signature (`numba.cfunc`, checked in Python).
        Ok(Self(unsafe {
            std::mem::transmute::<usize, CompiledEnergy>(address)
        }))
    }
}

impl PointEnergy for AddressEnergy {
    fn evaluate(&self, points: &[Vec3], gradient: &mut [Vec3]) -> f64 {
        (self.0)(points.as_ptr().cast(), gradient.as_mut_ptr().cast())
    }
}

/// A callable `f(points) -> (energy, gradient)`.
pub(crate) struct CallableEnergy {
    callable: Py<PyAny>,
    faults: Arc<FaultSlot>,
    raised: Raised,
}

impl CallableEnergy {
    pub(crate) fn new(callable: Py<PyAny>, raised: Raised) -> Self {
        Self {
            callable,
            faults: Arc::new(FaultSlot::default()),
            raised,
        }
    }

    fn call(&self, py: Python<'_>, points: &[Vec3], gradient: &mut [Vec3]) -> PyResult<f64> {
        let places = PyArray2::zeros(py, [points.len(), 3], false);
        {
            let mut places = places.readwrite();
            for (place, point) in places.as_slice_mut()?.chunks_exact_mut(3).zip(points) {
                place.copy_from_slice(point.as_slice());
            }
        }
        let result = self.callable.bind(py).call1((places,))?;
        let Ok((energy, slopes)) = result.extract::<(f64, Bound<'_, PyAny>)>() else {
            let words = "a potential returns its energy and its gradient: `return energy, gradient`";
            return Err(errors::plain(py, "CallbackError", words));
        };
        let as_array = || -> PyResult<PyReadonlyArray2<'_, f64>> {
            let slopes = py.import("numpy")?.call_method1("asarray", (slopes, "float64"))?;
            slopes.extract()
        };
        let wrong = || {
            let words = format!("the gradient of a potential has the shape ({}, 3)", points.len());
            errors::plain(py, "CallbackError", &words)
        };
        let slopes = as_array().map_err(|_| wrong())?;
        let slopes = slopes.as_array();
        if slopes.shape() != [points.len(), 3] {
            return Err(wrong());
        }
        for (k, slope) in gradient.iter_mut().enumerate() {
            *slope = Vec3::new(slopes[[k, 0]], slopes[[k, 1]], slopes[[k, 2]]);
        }
        let finite = energy.is_finite() && gradient.iter().all(|slope| slope.iter().all(|x| x.is_finite()));
        match finite {
            true => Ok(energy),
            false => Err(errors::plain(
                py,
                "CallbackError",
                "a potential returned a number that is not finite",
            )),
        }
    }
}

impl PointEnergy for CallableEnergy {
    fn evaluate(&self, points: &[Vec3], gradient: &mut [Vec3]) -> f64 {
        Python::attach(|py| match self.call(py, points, gradient) {
            Ok(energy) => energy,
            Err(error) => {
                self.faults.report(error.to_string());
                self.raised.keep(error);
                f64::NAN
            }
        })
    }

    fn faults(&self) -> Option<Arc<FaultSlot>> {
        Some(self.faults.clone())
    }
}

/// A generalized force of time, coordinates and velocities.
pub(crate) enum Force {
    Address(CompiledForce),
    Callable(Py<PyAny>),
}

impl Force {
    #[expect(
        unsafe_code,
        reason = "the address of a compiled function, for which its author answers"
    )]
    pub(crate) fn at(address: usize) -> PyResult<Self> {
        if address == 0 {
            return Err(PyValueError::new_err("the address of the function is zero"));
        }
        // SAFETY: the caller hands over the address of a function of this signature (`numba.cfunc`, checked in Python).
        Ok(Self::Address(unsafe {
            std::mem::transmute::<usize, CompiledForce>(address)
        }))
    }

    /// The force at a state, into `out`.
    pub(crate) fn evaluate(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) -> PyResult<()> {
        match self {
            Self::Address(function) => {
                function(t, q.as_ptr(), v.as_ptr(), out.as_mut_ptr());
                Ok(())
            }
            Self::Callable(callable) => Python::attach(|py| {
                let arguments = (t, PyArray1::from_slice(py, q), PyArray1::from_slice(py, v));
                let force = callable.bind(py).call1(arguments)?;
                let force = values::to_numbers(&force).map_err(|_| wrong_force(py, out.len()))?;
                if force.len() != out.len() {
                    return Err(wrong_force(py, out.len()));
                }
                out.copy_from_slice(&force);
                match out.iter().all(|force| force.is_finite()) {
                    true => Ok(()),
                    false => Err(errors::plain(
                        py,
                        "CallbackError",
                        "a force returned a number that is not finite",
                    )),
                }
            }),
        }
    }
}

fn wrong_force(py: Python<'_>, count: usize) -> PyErr {
    let words = format!("a force returns one number for each velocity: {count} of them");
    errors::plain(py, "CallbackError", &words)
}

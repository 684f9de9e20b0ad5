//! The energy that the steps of a method conserve.
//!
//! A step of Verlet's scheme in space, with the forces that hold bodies on their spheres, is one of the Hamiltonian
//!
//! ```text
//! H̃ = E + h² H₂ + O(h⁴),      H₂ = −v·Mȧ/12 − a·Ma/24,      a = v̇, M the mass matrix in space
//! ```
//! As `v·Mȧ = d(v·Ma)/dt − a·Ma`, the mean of `E` over a long time is `H̃` less `h²/24` times the mean of `a·Ma`. Where
//! the motion goes over to shorter waves, as in a long chain, `a·Ma` grows and the mean of `E` falls, while `H̃` stays.
use crate::{
    Vec3,
    spheres::{InertiaWork, Spheres, view},
    system::State,
};

/// `h² H₂` in the middle of five states a step of h apart, by differences of their positions.
pub fn second_term(spheres: &Spheres, states: &[State; 5], h: f64) -> f64 {
    let q: [&[Vec3]; 5] = std::array::from_fn(|k| view(&states[k].q));
    let of_bodies = |value: &dyn Fn(usize) -> Vec3| -> Vec<Vec3> { (0..spheres.len()).map(value).collect() };
    let acceleration = |k: usize, i: usize| (q[k + 1][i] - q[k][i] * 2.0 + q[k - 1][i]) / (h * h);
    let v = of_bodies(&|i| (q[3][i] - q[1][i]) / (2.0 * h));
    let a = of_bodies(&|i| acceleration(2, i));
    let rate = of_bodies(&|i| (acceleration(3, i) - acceleration(1, i)) / (2.0 * h));
    let mut work = InertiaWork::default();
    let mut with_mass = vec![Vec3::zeros(); a.len()];
    let mut product = |x: &[Vec3], y: &[Vec3]| -> f64 {
        spheres.inertia().apply(y, &mut with_mass, &mut work);
        x.iter().zip(&with_mass).map(|(x, y)| x.dot(y)).sum()
    };
    -h * h * (product(&v, &rate) / 12.0 + product(&a, &a) / 24.0)
}

//! Integration tests, one module per question.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop where it is"
)]
#![expect(clippy::print_stdout, reason = "measured figures are shown with --nocapture")]

/// Models and runs the tests share.
mod common;

/// Do many steps in one call lead where single steps do?
mod advance;
/// Does a step allocate?
mod allocation;
/// Does what changes the energy do as much work as the energy changes by?
mod balance;
/// Are derivatives of steps those of differences, and do they keep what steps keep?
mod derivatives;
/// Do the first steps agree with the verified reading of the documents?
mod checkpoints;
mod continued;
mod user_potentials;
/// Are the documents wrong where the errata say so?
mod errata;
/// Do closed forms agree with tables, with integration and with themselves?
mod exact;
/// Are derivatives of steps on spheres and of Lagrangians exact, transposed and symplectic?
mod step_derivatives;
/// Are gradients and tangents through runs right, and is it said what they are worth?
mod tapes;
/// What happens when a step cannot be taken?
mod faults;
/// Are formulas read, printed and differentiated right, and refused with help?
mod formulas;
/// Is mechanics the same in every frame, and are nonholonomic motions those of the books?
mod frames;
/// Does the Hamel integrator of Zenkov–Leok–Bloch keep what it claims?
mod hamel;
/// Does a chain with both ends held stay there, and move as it should?
mod held;
/// Do discrete Lagrangians do what Beckman's notebook and the cable report found?
mod lagrangians;
/// Do methods keep what they promise, and lack what they do not?
mod methods;
/// How do methods err in nutation and precession?
mod nutation;
/// Are points and lines of typed Lagrangians where their formulas say?
mod pictures;
/// Are sums over pairs right, and the same to the last bit for any instructions, threads and lists?
mod pairs;
/// What is refused when a system or a state is put together.
mod parts;
/// Are gradients, energies and symmetries of potentials consistent?
mod potentials;
/// Are the published numbers of Lee–Leok–McClamroch reproduced?
mod published;
/// Is what a viewer draws where the mechanism is?
mod scenes;
/// Do trajectories agree with references computed by another route?
mod references;
/// What do the steps of a chain conserve, if not the energy?
mod modified_energy;
/// Which momenta of all vectors of a Lagrangian are conserved?
mod totals;
/// Do ropes over pulleys pull as they should?
mod ropes;
/// Do rotating bodies turn as they should, and as Beckman's notebook has it?
mod rotation;
/// Do trees settle where statics says, and name what does not?
mod settle;
/// Are motions in closed form those of the mechanism?
mod solutions;
/// Do trees of rigid bodies move as they should, and keep what they promise?
mod trees;
/// Do the parts of a system agree with each other?
mod systems;
/// Do formulas typed into models move as the documents say?
mod typed;
mod typed_lanes;
/// Are potentials given as formulas those that are written in Rust, and honest about symmetry and domain?
mod typed_potentials;

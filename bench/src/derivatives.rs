//! Derivatives of steps as pieces of work.
//!
//! ```text
//! linearise-N    pull      a step of an arm of N hinges linearised at its solution, and one gradient pulled back
//!                matrix    the same with all columns of ∂z⁺/∂z
//! gradient-…     forward   a run of steps, each by a call of its own
//!                gradient  the same recorded, and one gradient pulled back from its end to its start
//! puppet-…       matrices  every step of a run taken, linearised, with all columns of ∂z⁺/∂z
//! ```
use crate::work::{Work, load, row_model};
use holonomy::{
    derivative::{Change, Differentiable, Efforts, Tape},
    integrator::Integrator,
    system::State,
};
use holonomy_model::Model;
use std::fmt::Write as _;

/// The work of a row, or why there is none.
pub fn open(row: &str, who: &str) -> Result<Box<dyn Work>, String> {
    let Some((kind, of)) = row.split_once('-') else {
        return Err(format!("there is no row `{row}`"));
    };
    let model = model(of)?;
    match (kind, who) {
        ("linearise", "pull" | "matrix") => Ok(Box::new(Linearised::new(&model, who == "matrix")?)),
        ("gradient", "forward" | "gradient") => Ok(Box::new(Gradient::new(&model, who == "gradient")?)),
        ("derivatives", "matrices") => Ok(Box::new(Matrices::new(&model))),
        _ => Err(format!("nobody is called `{who}` in `{row}`")),
    }
}

fn model(of: &str) -> Result<Model, String> {
    match of.split_once('-') {
        Some(("arm", hinges)) => load(&arm(hinges.parse().unwrap_or(0)), &[]),
        _ => row_model(of),
    }
}

/// Bars on hinges that turn about x and y in turn, 0.3 rad each to the one before; it falls from rest.
fn arm(hinges: usize) -> String {
    let mut text = String::from("title = \"Arm\"\nspace = \"tree\"\ngravity = [0, 0, -9.81]\n");
    for joint in 1..=hinges {
        let (parent, at) = match joint {
            1 => (String::new(), 0.0),
            _ => (format!("parent = \"link-{}\"\n", joint - 1), -1.0),
        };
        let axis = if joint % 2 == 0 { "[1, 0, 0]" } else { "[0, 1, 0]" };
        let _ = write!(
            text,
            "\n[[body]]\nname = \"link-{joint}\"\n{parent}joint = {{ kind = \"revolute\", axis = {axis}, at = [0, 0, \
             {at:?}] }}\nmass = 0.1\nshape = \"box\"\nsize = [0.3, 0.3, 1]\ncentre = [0, 0, -0.5]\nposition = {:?}\n",
            0.3 / joint as f64,
        );
    }
    text.push_str("\n[method]\nname = \"tree-variational\"\n\n[run]\nstep = 0.01\nduration = 1.0\n");
    text
}

/// Columns of the unit matrix, as many as the canonical coordinates have.
fn columns(model: &Model) -> Vec<Change> {
    let State { q, p, .. } = &model.state;
    let half = model.mechanism.system().canonical(q, q, p).0.len();
    let part = |k: usize, from: usize| (0..half).map(|i| f64::from(u8::from(from + i == k))).collect();
    let column = |k| Change {
        x: part(k, 0),
        y: part(k, half),
        ..Change::default()
    };
    (0..2 * half).map(column).collect()
}

/// Takes the numbers of one change over to another.
fn again(change: &mut Change, from: &Change) {
    change.x.clone_from(&from.x);
    change.y.clone_from(&from.y);
}

fn differentiable(integrator: &mut dyn Integrator) -> Result<&mut dyn Differentiable, String> {
    integrator
        .differentiable()
        .ok_or_else(|| "its method has no derivatives".to_owned())
}

/// One step that was taken, linearised again and again.
struct Linearised {
    method: Box<dyn Integrator>,
    before: State,
    solution: Vec<f64>,
    step: f64,
    all: bool,
    given: Vec<Change>,
    changes: Vec<Change>,
}

impl Linearised {
    fn new(model: &Model, all: bool) -> Result<Self, String> {
        // Shorter than the model's: what is measured does not depend on it, and arms of hundreds of hinges can take it.
        let (mut method, step) = (model.integrator(), 0.1 * model.schedule.step);
        let (mut state, mut before, mut solution) = (model.state.clone(), model.state.clone(), Vec::new());
        // A few, which the longest arm can take.
        for _ in 0..5 {
            before.copy_from(&state);
            method
                .attempt(&mut state, step)
                .map_err(|fault| format!("{fault:?}"))?;
        }
        differentiable(&mut *method)?.solution(&mut solution);
        let mut given = columns(model);
        given.truncate(if all { usize::MAX } else { 1 });
        Ok(Self {
            method,
            before,
            solution,
            step,
            all,
            changes: given.clone(),
            given,
        })
    }
}

impl Work for Linearised {
    fn reset(&mut self) {}

    fn steps(&mut self, steps: u64) -> Result<(), String> {
        let method = differentiable(&mut *self.method)?;
        for _ in 0..steps {
            let done = method.linearise(&self.before, self.step, &self.solution);
            done.map_err(|fault| format!("{fault:?}"))?;
            for (change, given) in self.changes.iter_mut().zip(&self.given) {
                again(change, given);
            }
            match self.all {
                true => method.push_each(&mut self.changes),
                false => method.pull(&mut self.changes[0]),
            }
        }
        Ok(())
    }

    fn numbers(&self) -> Vec<f64> {
        let numbers = self.changes.iter().map(|change| change.x.iter().chain(&change.y));
        numbers.flatten().copied().collect()
    }
}

/// A run, and perhaps the gradient of its first coordinate at the end.
struct Gradient {
    method: Box<dyn Integrator>,
    start: State,
    end: State,
    step: f64,
    wanted: bool,
    given: Change,
    gradient: Change,
}

impl Gradient {
    fn new(model: &Model, wanted: bool) -> Result<Self, String> {
        let given = columns(model).swap_remove(0);
        let mut method = model.integrator();
        differentiable(&mut *method)?;
        if !wanted {
            // A run by itself notes nothing for derivatives.
            method = model.integrator();
        }
        Ok(Self {
            method,
            start: model.state.clone(),
            end: model.state.clone(),
            step: model.schedule.step,
            wanted,
            gradient: given.clone(),
            given,
        })
    }
}

impl Work for Gradient {
    fn reset(&mut self) {
        self.end.copy_from(&self.start);
    }

    fn steps(&mut self, steps: u64) -> Result<(), String> {
        if !self.wanted {
            for _ in 0..steps {
                let done = self.method.attempt(&mut self.end, self.step);
                done.map_err(|fault| format!("{fault:?}"))?;
            }
            return Ok(());
        }
        let method = differentiable(&mut *self.method)?;
        let recorded = Tape::record(method, &self.start, self.step, steps as usize, Efforts::default());
        let mut tape = recorded.map_err(|fault| format!("{fault:?}"))?;
        again(&mut self.gradient, &self.given);
        let pulled = tape.pull(method, std::slice::from_mut(&mut self.gradient), &mut ());
        pulled.map_err(|fault| format!("{fault:?}"))
    }

    fn numbers(&self) -> Vec<f64> {
        match self.wanted {
            true => [&self.gradient.x[..], &self.gradient.y].concat(),
            false => [&self.end.q[..], &self.end.p].concat(),
        }
    }
}

/// A run with the matrix of each of its steps.
struct Matrices {
    method: Box<dyn Integrator>,
    start: State,
    end: State,
    before: State,
    solution: Vec<f64>,
    step: f64,
    given: Vec<Change>,
    changes: Vec<Change>,
}

impl Matrices {
    fn new(model: &Model) -> Self {
        let given = columns(model);
        Self {
            method: model.integrator(),
            start: model.state.clone(),
            end: model.state.clone(),
            before: model.state.clone(),
            solution: Vec::new(),
            step: model.schedule.step,
            changes: given.clone(),
            given,
        }
    }
}

impl Work for Matrices {
    fn reset(&mut self) {
        self.end.copy_from(&self.start);
    }

    fn steps(&mut self, steps: u64) -> Result<(), String> {
        let method = differentiable(&mut *self.method)?;
        for _ in 0..steps {
            self.before.copy_from(&self.end);
            let taken = method.attempt(&mut self.end, self.step);
            taken.map_err(|fault| format!("{fault:?}"))?;
            method.solution(&mut self.solution);
            let done = method.linearise(&self.before, self.step, &self.solution);
            done.map_err(|fault| format!("{fault:?}"))?;
            for (change, given) in self.changes.iter_mut().zip(&self.given) {
                again(change, given);
            }
            method.push_each(&mut self.changes);
        }
        Ok(())
    }

    fn numbers(&self) -> Vec<f64> {
        let numbers = self.changes.iter().map(|change| change.x.iter().chain(&change.y));
        numbers.flatten().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of a row, and its numbers after them.
    fn after(row: &str, who: &str, steps: u64) -> Vec<f64> {
        let mut work = open(row, who).expect("it exists");
        work.steps(steps).expect("it runs");
        work.numbers()
    }

    // The transpose: the first row of a gradient that was pulled is what all columns have in their first place.
    #[test]
    fn a_gradient_is_a_row_of_the_matrix() {
        let (pulled, columns) = (
            after("linearise-arm-7", "pull", 1),
            after("linearise-arm-7", "matrix", 1),
        );
        // The state has 7 joints: 14 numbers in a column. Both are sums of a few tens of products of that size.
        let largest = columns.iter().fold(1.0_f64, |size, x| size.max(x.abs()));
        for (k, pulled) in pulled.iter().enumerate() {
            let pushed = columns[14 * k];
            assert!(
                (pulled - pushed).abs() < 1e-13 * largest,
                "{k}: {pulled} {pushed}"
            );
        }
    }

    // Central differences of order 2 with 1e-5: their error is about 1e-10 of the numbers, which are below 100.
    #[test]
    fn the_gradient_of_a_run_is_what_differences_say() {
        let gradient = after("gradient-arm-7", "gradient", 40);
        let model = model("arm-7").expect("it exists");
        let end = |shift: f64| {
            let mut state = model.state.clone();
            state.q[2] += shift;
            let mut method = model.integrator();
            for _ in 0..40 {
                method.attempt(&mut state, model.schedule.step).expect("it steps");
            }
            state.q[0]
        };
        // Hinges are their own canonical coordinates, and p stays what it is where all is at rest.
        let difference = (end(1e-5) - end(-1e-5)) / 2e-5;
        assert!(
            (gradient[2] - difference).abs() < 1e-7,
            "{} {difference}",
            gradient[2]
        );
    }

    #[test]
    fn every_row_runs() {
        for (row, who) in [
            ("gradient-double", "gradient"),
            ("gradient-pendulum", "gradient"),
            ("gradient-pendulum", "forward"),
            ("gradient-double-plane-pendulum", "gradient"),
            ("gradient-four-bar", "gradient"),
            ("derivatives-puppet", "matrices"),
        ] {
            assert!(after(row, who, 5).iter().all(|x| x.is_finite()), "{row} {who}");
        }
        assert!(open("linearise-arm-7", "nobody").is_err() && open("gradient-weather", "forward").is_err());
    }
}

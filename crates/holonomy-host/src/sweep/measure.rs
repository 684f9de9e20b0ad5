//! What is kept of a motion besides its end: `max(NAME)`, `min`, `mean`, `final`, and `first(NAME > X)`, the time at which
//! that is first true. Names are those of [`Output`]: the columns of a trajectory, and all that can be recorded.
use super::SweepError;
use holonomy::{
    output::{Output, Readings},
    simulation::{Observer, Sample},
    system::Layout,
};
use holonomy_model::output_suggestion;
use std::ops::ControlFlow;

/// What is measured, of which number.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// As it was written; the name of its column.
    pub text: String,
    of: Output,
    how: Reduction,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Reduction {
    Largest,
    Least,
    Mean,
    Last,
    /// The first time at which the number is above, or below, another.
    First {
        above: bool,
        limit: f64,
    },
}

impl Measure {
    /// Reads a measure of a system with this layout.
    pub fn parse(text: &str, layout: &Layout) -> Result<Self, SweepError> {
        let bad = |reason: String| SweepError::Measure {
            text: text.to_owned(),
            reason,
        };
        let usage =
            || bad("write max(NAME), min(NAME), mean(NAME), final(NAME) or first(NAME > NUMBER)".to_owned());
        let (word, inside) = text.trim().split_once('(').ok_or_else(usage)?;
        let inside = inside.trim_end().strip_suffix(')').ok_or_else(usage)?.trim();
        let (name, how) = match word.trim() {
            "max" => (inside, Reduction::Largest),
            "min" => (inside, Reduction::Least),
            "mean" => (inside, Reduction::Mean),
            "final" => (inside, Reduction::Last),
            "first" => {
                let at = inside.find(['<', '>']).ok_or_else(usage)?;
                let limit = inside[at + 1..].trim();
                let limit = limit.parse().ok().filter(|limit: &f64| limit.is_finite());
                let limit = limit.ok_or_else(|| bad("there is no number behind the < or >".to_owned()))?;
                let above = inside[at..].starts_with('>');
                (inside[..at].trim(), Reduction::First { above, limit })
            }
            _ => return Err(usage()),
        };
        let of = Output::find(name, layout).ok_or_else(|| {
            bad(format!(
                "there is no `{name}` here; {}",
                output_suggestion(name, layout)
            ))
        })?;
        if of.is_of_a_step() {
            return Err(bad(format!(
                "`{name}` is recorded along a run, and not measured by a sweep; `lambda.…` is the multiplier of the moment"
            )));
        }
        if let [first, ..] = &of.components[..] {
            let all = of.components.join(", ");
            let message = format!("`{name}` has the components {all}; write `{name}.{first}`");
            return Err(bad(message));
        }
        Ok(Self {
            text: text.trim().to_owned(),
            of,
            how,
        })
    }
}

/// Measures while a run goes on, at its recorded samples.
pub(super) struct Measuring<'m> {
    measures: &'m [Measure],
    outputs: Vec<Output>,
    readings: Readings,
    values: Vec<f64>,
    before: Vec<(f64, f64)>,
    samples: u64,
}

impl<'m> Measuring<'m> {
    pub(super) fn new(measures: &'m [Measure]) -> Self {
        Self {
            values: vec![f64::NAN; measures.len()],
            before: vec![(f64::NAN, f64::NAN); measures.len()],
            outputs: measures.iter().map(|measure| measure.of.clone()).collect(),
            readings: Readings::default(),
            measures,
            samples: 0,
        }
    }

    /// One number for each measure; none where what was waited for did not happen.
    pub(super) fn values(self) -> impl Iterator<Item = Option<f64>> {
        self.values
            .into_iter()
            .map(|value| value.is_finite().then_some(value))
    }
}

impl Observer for Measuring<'_> {
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        let state = sample.state;
        self.samples += 1;
        let values = self
            .readings
            .take(&self.outputs, sample.system, state, sample.measured);
        let each = self.measures.iter().zip(&mut self.values).zip(&mut self.before);
        for (((measure, value), before), now) in each.zip(values) {
            let now = *now;
            match measure.how {
                Reduction::Largest => *value = value.max(now),
                Reduction::Least => *value = value.min(now),
                Reduction::Last => *value = now,
                Reduction::Mean if self.samples == 1 => *value = now,
                Reduction::Mean => *value += (now - *value) / self.samples as f64,
                Reduction::First { above, limit } => {
                    let there = if above { now > limit } else { now < limit };
                    if value.is_nan() && there {
                        let (t, then) = *before;
                        let part = (limit - then) / (now - then);
                        // Between two samples it is read off the line through them.
                        *value = match (0.0..=1.0).contains(&part) {
                            true => t + part * (state.t - t),
                            false => state.t,
                        };
                    }
                }
            }
            *before = (state.t, now);
        }
        ControlFlow::Continue(())
    }
}

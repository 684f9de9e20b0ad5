//! Instructions → runs: of those that can be computed next, all with the most frequent code are computed in a row.
//! A run is one loop without decisions, and its instructions do not wait for each other.
use super::compile::{Instruction, Numbers, Operand};
use super::expressions::{Expression, Expressions, Operation, Origin};
use super::program::{Code, Program, Run};
use std::collections::BTreeMap;

/// The program that computes the outputs by the instructions.
pub(super) fn schedule(
    expressions: &Expressions,
    instructions: &[Instruction],
    constants: Numbers,
    variables: usize,
    outputs: &[Expression],
) -> Program {
    let mut program = Program {
        constants: constants.list,
        variables,
        runs: Vec::new(),
        operands: Vec::new(),
        count: 0,
        outputs: Vec::new(),
        watched: Vec::new(),
        origins: vec![Origin::default(); variables],
        texts: expressions.texts.clone(),
    };
    let mut registers = vec![0_u32; expressions.nodes.len()];
    let mut done = vec![false; expressions.nodes.len()];
    for (index, node) in expressions.nodes.iter().enumerate() {
        let place = match node.operation {
            Operation::Constant(bits) => constants.places.get(&bits).copied(),
            Operation::Variable(slot) if (slot as usize) < variables => {
                program.origins[slot as usize] = expressions.origin(Expression(index as u32));
                Some(program.constants.len() as u32 + slot)
            }
            _ => None,
        };
        if let Some(place) = place {
            registers[index] = place;
            done[index] = true;
        }
    }

    let mut missing = vec![0_u32; instructions.len()];
    let mut waiting: BTreeMap<Expression, Vec<usize>> = BTreeMap::new();
    let mut ready: BTreeMap<Code, Vec<usize>> = BTreeMap::new();
    for (index, instruction) in instructions.iter().enumerate() {
        for operand in instruction.operands().filter(|operand| !done[operand.index()]) {
            missing[index] += 1;
            waiting.entry(operand).or_default().push(index);
        }
        if missing[index] == 0 {
            ready.entry(instruction.code).or_default().push(index);
        }
    }
    while let Some(code) = ready
        .iter()
        .max_by_key(|(_, run)| run.len())
        .map(|(code, _)| *code)
    {
        let run = ready.remove(&code).unwrap_or_default();
        let mut results: Vec<Expression> = run.iter().map(|index| instructions[*index].result).collect();
        results.extend(run.iter().filter_map(|index| instructions[*index].second));
        for index in &run {
            let instruction = &instructions[*index];
            let a = registers[instruction.a.index()];
            let b = match instruction.b {
                Operand::None => a,
                Operand::Of(b) => registers[b.index()],
                Operand::Value(value) => constants.places.get(&value.to_bits()).copied().unwrap_or(0),
                Operand::Whole(number) => number as u32,
            };
            program.operands.push([a, b]);
        }
        for result in results {
            let register = program.count_registers() as u32;
            program.origins.push(expressions.origin(result));
            program.count += 1;
            registers[result.index()] = register;
            if code.may_be_infinite() {
                program.watched.push(register);
            }
            for index in waiting.remove(&result).unwrap_or_default() {
                missing[index] -= 1;
                if missing[index] == 0 {
                    ready.entry(instructions[index].code).or_default().push(index);
                }
            }
        }
        program.runs.push(Run {
            code,
            length: run.len() as u32,
        });
    }
    program.outputs = outputs.iter().map(|output| registers[output.index()]).collect();
    program
}

impl Instruction {
    fn operands(&self) -> impl Iterator<Item = Expression> {
        let second = match self.b {
            Operand::Of(b) => Some(b),
            _ => None,
        };
        [self.a].into_iter().chain(second)
    }
}

impl Code {
    /// Whether finite operands may give an infinite result, or none, that later instructions hide.
    fn may_be_infinite(self) -> bool {
        matches!(
            self,
            Self::Divide
                | Self::Reciprocal
                | Self::SquareRoot
                | Self::WholePower
                | Self::Power
                | Self::ArcSine
                | Self::ArcCosine
                | Self::Logarithm
        )
    }
}

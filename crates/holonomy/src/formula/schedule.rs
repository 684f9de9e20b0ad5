//! Instructions → runs of the same code.
//!
//! A run is one loop without decisions, and its instructions do not wait for each other. Of the instructions that can
//! be computed next, the one with the longest chain of others behind it says which code comes next.
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
        origins: vec![Origin::UNUSED; variables],
        texts: expressions.texts.clone(),
    };
    let mut registers = vec![0_u32; expressions.nodes.len()];
    for (register, node) in registers.iter_mut().zip(&expressions.nodes) {
        *register = match node.operation {
            Operation::Constant(bits) => constants.places.get(&bits).copied().unwrap_or(0),
            Operation::Variable(slot) => program.constants.len() as u32 + slot,
            _ => 0,
        };
    }
    let operands = instructions.iter().flat_map(Instruction::operands);
    for expression in operands.chain(outputs.iter().copied()) {
        if let Operation::Variable(slot) = expressions.operation(expression) {
            program.origins[slot as usize] = expressions.origin(expression);
        }
    }

    // The longest chain of instructions behind each.
    let mut heights = vec![0_u32; instructions.len()];
    let mut maker = vec![None; expressions.nodes.len()];
    for (index, instruction) in instructions.iter().enumerate() {
        for result in instruction.results() {
            maker[result.index()] = Some(index);
        }
    }
    for (index, instruction) in instructions.iter().enumerate().rev() {
        for maker in instruction
            .operands()
            .filter_map(|operand| maker[operand.index()])
        {
            heights[maker] = heights[maker].max(heights[index] + 1);
        }
    }

    let mut missing = vec![0_u32; instructions.len()];
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); instructions.len()];
    let mut ready = Ready::default();
    for (index, instruction) in instructions.iter().enumerate() {
        for maker in instruction
            .operands()
            .filter_map(|operand| maker[operand.index()])
        {
            missing[index] += 1;
            waiting[maker].push(index);
        }
        if missing[index] == 0 {
            ready.insert(instruction.code, heights[index], index);
        }
    }
    while let Some((code, run)) = ready.next() {
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
        let firsts = run.iter().map(|index| instructions[*index].result);
        let seconds = run.iter().filter_map(|index| instructions[*index].second);
        for result in firsts.chain(seconds) {
            let register = program.count_registers() as u32;
            registers[result.index()] = register;
            program.count += 1;
            program.origins.push(expressions.origin(result));
            if code.may_be_infinite() {
                program.watched.push(register);
            }
        }
        for index in &run {
            for user in std::mem::take(&mut waiting[*index]) {
                missing[user] -= 1;
                if missing[user] == 0 {
                    ready.insert(instructions[user].code, heights[user], user);
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

/// Instructions that can be computed next, by their codes.
#[derive(Default)]
struct Ready {
    codes: BTreeMap<Code, (u32, Vec<usize>)>,
}

impl Ready {
    fn insert(&mut self, code: Code, height: u32, index: usize) {
        let (highest, list) = self.codes.entry(code).or_default();
        *highest = height.max(*highest);
        list.push(index);
    }

    fn next(&mut self) -> Option<(Code, Vec<usize>)> {
        let most = self
            .codes
            .iter()
            .max_by_key(|(_, (highest, list))| (*highest, list.len()));
        let code = *most?.0;
        self.codes.remove(&code).map(|(_, list)| (code, list))
    }
}

impl Instruction {
    fn results(&self) -> impl Iterator<Item = Expression> {
        [self.result].into_iter().chain(self.second)
    }

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

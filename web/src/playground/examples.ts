// Examples of Lagrangians, and how they look.

export interface Example {
  words: string;
  formula: string;
  values: Record<string, string>;
  step?: string;
  /** Coordinates that come back after a turn. */
  periodic?: string[];
  /** Points of the picture, by formulas, and lines through them. */
  points?: Record<string, [string, string, string]>;
  line?: string[];
}

const PIVOT: [string, string, string] = ["0", "0", "0"];

export const EXAMPLES: Example[] = [
  {
    words: "pendulum",
    formula: "m*l^2*theta'^2/2 + m*g*l*cos(theta)",
    values: { m: "1", l: "1", g: "9.81", theta: "2", "theta'": "0" },
    periodic: ["theta"],
    points: { pivot: PIVOT, bob: ["l*sin(theta)", "0", "-l*cos(theta)"] },
    line: ["pivot", "bob"],
  },
  {
    words: "double pendulum",
    formula: "m*l^2*(2*a'^2 + b'^2 + 2*a'*b'*cos(a - b))/2 + m*g*l*(2*cos(a) + cos(b))",
    values: { m: "1", l: "1", g: "9.81", a: "2", b: "2.5" },
    step: "0.005",
    periodic: ["a", "b"],
    points: { pivot: PIVOT, upper: ["l*sin(a)", "0", "-l*cos(a)"], lower: ["l*sin(a) + l*sin(b)", "0", "-l*cos(a) - l*cos(b)"] },
    line: ["pivot", "upper", "lower"],
  },
  {
    words: "Kepler's problem",
    formula: "(x'^2 + y'^2)/2 + mu/sqrt(x^2 + y^2)",
    values: { mu: "1", x: "0.4", y: "0", "x'": "0", "y'": "2" },
    points: { sun: PIVOT, planet: ["x", "y", "0"] },
  },
  {
    words: "elastic pendulum",
    formula: "m*(r'^2 + r^2*theta'^2)/2 + m*g*r*cos(theta) - k*(r - l)^2/2",
    values: { m: "1", g: "9.81", k: "40", l: "1", r: "1.2", theta: "1" },
    periodic: ["theta"],
    points: { pivot: PIVOT, bob: ["r*sin(theta)", "0", "-r*cos(theta)"] },
    line: ["pivot", "bob"],
  },
  { words: "Duffing's spring", formula: "x'^2/2 + x^2/2 - x^4/4", values: { x: "0.1", "x'": "0" } },
  {
    words: "swinging Atwood machine",
    formula: "(mu + 1)*r'^2/2 + r^2*theta'^2/2 - g*r*(mu - cos(theta))",
    values: { mu: "3", g: "9.81", r: "1", theta: "1.5" },
    step: "0.002",
    periodic: ["theta"],
    points: { weight: ["-1", "0", "r - 3"], left: ["-1", "0", "0"], right: PIVOT, bob: ["r*sin(theta)", "0", "-r*cos(theta)"] },
    line: ["weight", "left", "right", "bob"],
  },
];

/** Names in a formula that are neither functions nor constants, each once; a number's exponent is no name. */
export function namesIn(formula: string): string[] {
  const found = [...formula.matchAll(/(?<![\d.])[A-Za-z_]\w*/g)].map((match) => match[0]);
  return [...new Set(found)].filter((name) => !KNOWN.has(name));
}

const KNOWN = new Set("sin cos tan asin acos atan atan2 sinh cosh tanh exp log ln sqrt abs sign min max pow hypot floor pi e t".split(" "));

/** A model with the looks of an example, if it still has the names that they are made of. */
export function withLooks(text: string, { periodic, points = {}, line }: Example, names: string[]): string {
  const formulas = Object.values(points).flat();
  if (![...formulas.flatMap(namesIn), ...(periodic ?? [])].every((name) => names.includes(name))) return text;
  const list = (all: string[]) => `[${all.map((one) => JSON.stringify(one)).join(", ")}]`;
  const parts = [periodic ? text.replace(/^coordinates = .*$/m, (found) => `${found}\nperiodic = ${list(periodic)}`).trimEnd() : text.trimEnd()];
  if (formulas.length > 0) parts.push("", "[points]", ...Object.entries(points).map(([name, place]) => `${name} = ${list(place)}`));
  if (line) parts.push("", "[[line]]", `through = ${list(line)}`);
  return `${parts.join("\n")}\n`;
}

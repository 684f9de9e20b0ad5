// Numbers as people read them.

/** A number with `digits` that count: `9.81`, `1.2e-5`, `6 000`. */
export function short(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text =
    size >= 1e6 || size < 1e-3
      ? value.toExponential(Math.max(0, digits - 1)).replace(/\.?0+e/, "e").replace("e+", "e")
      : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−").replace("e−", "e−").replace(/e-(\d)/, "e−$1");
}

/** A number as a model file takes it: enough digits, none more. */
export function exact(value: number): string {
  const text = String(Number(value.toPrecision(12)));
  return text;
}

/** A number that fits a field of nine letters: six digits that count, or fewer where they would be cut off. */
export function fitting(value: number, most = 9): string {
  for (let digits = 6; ; digits -= 1) {
    const rounded = Number(value.toPrecision(digits));
    const [plain, raised] = [String(rounded), rounded.toExponential().replace("e+", "e")];
    const text = plain.length <= raised.length || plain.length <= most ? plain : raised;
    if (text.length <= most || digits <= 2) return text;
  }
}

/** A time, with digits enough to tell one step from the next. */
export function clock(t: number, step: number): string {
  const digits = step > 0 ? Math.min(6, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9))) : 2;
  return t.toFixed(Math.max(digits, 1));
}

/** The number of the sequence …, 1, 2, 5, 10, … that is nearest in proportion. */
export function roundTo125(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const lead = value / power;
  return power * (lead < Math.SQRT2 ? 1 : lead < Math.sqrt(10) ? 2 : lead < Math.sqrt(50) ? 5 : 10);
}

/** The greatest number of that sequence that is not more. */
export function floorTo125(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([5, 2].find((lead) => lead * power <= value) ?? 1);
}

/** A unit as it is printed: `kg m²/s`. */
export function unitText(unit: string): string {
  if (unit === "1") return "";
  const raised: Record<string, string> = { "2": "²", "3": "³", "4": "⁴" };
  return unit.replace(/\^(\d)/g, (_, digit: string) => raised[digit] ?? `^${digit}`).replace(/ /g, "\u202f");
}

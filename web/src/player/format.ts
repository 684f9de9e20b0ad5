// Numbers in words.

/** To so many places that frames differ. */
export function places(step: number): number {
  return step > 0 ? Math.min(6, Math.max(0, Math.ceil(-Math.log10(step) + 0.3))) : 2;
}

/** A time with its unit. */
export function seconds(t: number, digits: number): string {
  return `${t.toFixed(digits)} s`;
}

/** Three figures and a prefix of the SI. */
export function metric(x: number, unit: string): string {
  if (x === 0 || !Number.isFinite(x)) return `${x} ${unit}`;
  const prefixes = ["n", "µ", "m", "", "k", "M", "G"];
  // Thousands of seconds are not kiloseconds to anyone.
  const most = unit === "s" ? 3 : prefixes.length - 1;
  const k = Math.min(most, Math.max(0, Math.floor(Math.log10(Math.abs(x)) / 3 + 1e-9) + 3));
  const value = Number((x / 1000 ** (k - 3)).toPrecision(3));
  return `${value.toLocaleString("en", { maximumFractionDigits: 6, useGrouping: false })} ${prefixes[k]}${unit}`;
}

/** Four figures. */
export function figures(x: number): string {
  const small = Math.abs(x) > 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e5);
  return small ? x.toExponential(3) : String(Number(x.toPrecision(4)));
}

/** A length, in metres unless it is small. */
export function metres(x: number): string {
  return x >= 0.1 && x < 1e4 ? `${Number(x.toPrecision(3))} m` : metric(x, "m");
}

/** How fast a film goes. */
export function rate(speed: number): string {
  return Math.abs(speed - 1) < 1e-9 ? "as fast as it was" : `${metric(speed, "s")} of motion per second`;
}

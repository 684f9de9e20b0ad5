// What a slider does with a number.
import type { Knob } from "../engine/types";

/** A slider runs from 0 to 1; this says what it means. */
export interface Range {
  low: number;
  high: number;
  /** Equal ways are equal ratios. */
  logarithmic: boolean;
  whole: boolean;
}

/** The range of a knob: that which the engine proposes, by equal ratios where it is positive and wide. */
export function rangeOf({ low, high, least, whole }: Knob): Range {
  if (!(high > low)) return { low: low - 1, high: low + 1, logarithmic: false, whole };
  const logarithmic = low > 0 && (least ?? -1) >= 0 && high / low >= 20;
  return { low, high, logarithmic, whole };
}

/** A range around a positive number, by equal ratios. */
export function rangeAround(value: number, ratio: number): Range {
  return { low: value / ratio, high: value * ratio, logarithmic: true, whole: false };
}

/** Where the slider is for a value. */
export function positionOf(range: Range, value: number): number {
  const part = range.logarithmic
    ? Math.log(Math.max(value, range.low) / range.low) / Math.log(range.high / range.low)
    : (value - range.low) / (range.high - range.low);
  return Math.min(1, Math.max(0, part));
}

/** The value for where a slider is, to three digits or so, so that texts stay short. */
export function valueAt(range: Range, position: number): number {
  const raw = range.logarithmic
    ? range.low * (range.high / range.low) ** position
    : range.low + (range.high - range.low) * position;
  if (range.whole) return Math.round(raw);
  if (position <= 0) return range.low;
  if (position >= 1) return range.high;
  const grain = range.logarithmic ? Math.abs(raw) / 400 : (range.high - range.low) / 400;
  const power = 10 ** Math.floor(Math.log10(grain));
  const rounded = Math.round(raw / power) * power;
  return Number(rounded.toPrecision(12));
}

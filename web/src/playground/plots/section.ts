// Poincaré's section of a system of two coordinates: a point of the phase plane of one whenever the other passes zero
// upwards. Between two rows the path is the cubic with their values and velocities.
import type { Loaded, Sample } from "../../engine/types";
import { h } from "../dom";
import { chooser, sideColour } from "./card";
import { PlaneChart, spanOf, wrapped } from "./plane";

const MOST = 40_000;

interface Points {
  x: number[];
  y: number[];
  /** The row before: t, q₁, q₂, v₁, v₂. */
  last?: number[];
}

export class Section extends PlaneChart {
  private readonly through = chooser("Section through zero of", () => this.clear());
  private columns: number[] = [];
  private columnCount = 0;
  private angles: boolean[] = [];
  private readonly points: Points[] = [];
  private coordinates: string[] = [];

  constructor() {
    super("Poincaré section", "The phase plane of one coordinate, whenever the other passes zero upwards: islands are order, scattered points chaos");
    this.controls.append(this.through);
  }

  setModel(model: Loaded): void {
    const names = model.coordinates.names;
    const fits = model.family === "lagrangian" && names.length === 2 && model.velocities.names.length === 2 && !model.driven;
    this.element.hidden = !fits;
    const at = (name: string) => model.traceColumns.indexOf(name);
    this.columns = fits ? [0, at(`q ${names[0]}`), at(`q ${names[1]}`), at(`v ${model.velocities.names[0]}`), at(`v ${model.velocities.names[1]}`)] : [];
    this.columnCount = model.traceColumns.length;
    this.angles = model.coordinates.angles;
    if (names.join() === this.coordinates.join()) return;
    this.coordinates = names;
    this.through.replaceChildren(...names.map((name) => h("option", {}, `${name} = 0`)));
    this.clear();
  }

  clear(): void {
    this.points.length = 0;
    const other = this.coordinates[this.through.selectedIndex === 1 ? 0 : 1] ?? "";
    this.names = [other, `${other}'`];
    this.rebuild();
  }

  /** Takes in what the runs came through since. */
  push(samples: Sample[]): void {
    if (this.columns.length === 0 || this.element.hidden) return;
    const which = this.through.selectedIndex === 1 ? 1 : 0;
    samples.forEach((sample, side) => {
      const points = (this.points[side] ??= { x: [], y: [] });
      for (let start = 0; start < sample.trace.length; start += this.columnCount) {
        const row = this.columns.map((column) => sample.trace[start + column] ?? NaN);
        if (points.last && (row[0] ?? 0) > (points.last[0] ?? 0)) this.cross(points, points.last, row, which);
        if (!points.last || (row[0] ?? 0) > (points.last[0] ?? 0)) points.last = row;
      }
    });
  }

  show(): void {
    const value = this.values[0];
    if (value) value.textContent = `${this.points[0]?.x.length ?? 0} points`;
    this.bounds = { x: spanOf(this.points.map((own) => own.x)), y: spanOf(this.points.map((own) => own.y)) };
    this.draw();
  }

  private cross(points: Points, from: number[], to: number[], which: number): void {
    const h = (to[0] ?? 0) - (from[0] ?? 0);
    const value = (row: number[], k: number) => row[1 + k] ?? NaN;
    const turn = this.angles[which] ? 2 * Math.PI * Math.round(value(from, which) / (2 * Math.PI)) : 0;
    const [a, b] = [value(from, which) - turn, value(to, which) - turn];
    if (!(a < 0 && b >= 0)) return;
    const cubic = (k: number, s: number, shift = 0) => hermite(value(from, k) - shift, value(to, k) - shift, (from[3 + k] ?? 0) * h, (to[3 + k] ?? 0) * h, s);
    let [low, high] = [0, 1];
    for (let k = 0; k < 30; k += 1) {
      const middle = (low + high) / 2;
      if (cubic(which, middle, turn) < 0) low = middle;
      else high = middle;
    }
    const other = 1 - which;
    const s = (low + high) / 2;
    const q = cubic(other, s);
    const v = slope(value(from, other), value(to, other), (from[3 + other] ?? 0) * h, (to[3 + other] ?? 0) * h, s) / h;
    if (points.x.length >= MOST) return;
    points.x.push(this.angles[other] ? wrapped(q) : q);
    points.y.push(v);
  }

  protected override paint(context: CanvasRenderingContext2D, x: (value: number) => number, y: (value: number) => number): void {
    const size = 2.6 * devicePixelRatio;
    this.points.forEach((points, side) => {
      context.fillStyle = sideColour(side);
      points.x.forEach((value, k) => context.fillRect(x(value) - size / 2, y(points.y[k] ?? 0) - size / 2, size, size));
    });
  }
}

function hermite(a: number, b: number, u: number, w: number, s: number): number {
  return a + s * (u + s * (3 * (b - a) - 2 * u - w + s * (2 * (a - b) + u + w)));
}

function slope(a: number, b: number, u: number, w: number, s: number): number {
  return u + s * (2 * (3 * (b - a) - 2 * u - w) + 3 * s * (2 * (a - b) + u + w));
}

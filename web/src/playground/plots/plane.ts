// Plots of one number against another: phase portraits and sections. uPlot has the frame, the axes and the scales; what
// is in it are paths that go to and fro, which are drawn here.
import type uPlot from "uplot";
import { short } from "../number";
import { Card, axis } from "./card";

export interface Bounds {
  x: [number, number];
  y: [number, number];
}

export abstract class PlaneChart extends Card {
  protected bounds: Bounds = { x: [-1, 1], y: [-1, 1] };
  protected names: [string, string] = ["", ""];

  protected abstract paint(context: CanvasRenderingContext2D, x: (value: number) => number, y: (value: number) => number): void;

  protected override data(): uPlot.AlignedData {
    return [[0, 1], [null, null]];
  }

  protected override options(): Omit<uPlot.Options, "width" | "height"> {
    const [across, up] = [axis(this.names[0], 26), axis(this.names[1], 46)];
    up.values = (_, splits) => splits.map((value) => short(value, 3));
    return {
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 10, 0, 0],
      scales: { x: { time: false, range: () => padded(this.bounds.x) }, y: { range: () => padded(this.bounds.y) } },
      axes: [across, up],
      series: [{}, {}],
      hooks: {
        draw: [
          (plot) => {
            const { ctx, bbox } = plot;
            ctx.save();
            ctx.beginPath();
            ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
            ctx.clip();
            this.paint(ctx, (value) => plot.valToPos(value, "x", true), (value) => plot.valToPos(value, "y", true));
            ctx.restore();
          },
        ],
      },
    };
  }
}

function padded([low, high]: [number, number]): [number, number] {
  const margin = (high - low || Math.abs(high) || 1) * 0.06;
  return [low - margin, high + margin];
}

/** The least bounds that hold all numbers. */
export function spanOf(all: ArrayLike<number>[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const values of all) {
    for (let k = 0; k < values.length; k += 1) {
      const value = values[k] ?? NaN;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : [-1, 1];
}

/** An angle within ±π. */
export function wrapped(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

// A quantity of every run against time.
import uPlot from "uplot";
import { short } from "../number";
import type { Track } from "../track";
import { Card, SIDES, axis, sideColour, toggle } from "./card";
import { colour } from "../theme";

export interface Quantity {
  heading: string;
  about: string;
  /** The column of the tracks. */
  column: string;
  unit: string;
  /** Whether it is drawn on a logarithmic scale at first. */
  log: boolean;
}

export class TimeChart extends Card {
  private tracks: Track[] = [];
  private now = NaN;
  private curves = 0;
  private log: boolean;

  constructor(readonly quantity: Quantity) {
    super(quantity.heading, quantity.about);
    this.log = quantity.log;
    this.controls.append(
      toggle("log", this.log, (on) => {
        this.log = on;
        this.rebuild();
      }),
    );
  }

  /** What the runs came through so far; `now` is the time that is shown. */
  show(tracks: Track[], now: number): void {
    this.tracks = tracks;
    this.now = now;
    this.values.forEach((value, k) => {
      const track = tracks[k];
      const last = track && track.length > 0 ? track.column(this.quantity.column).at(-1) : undefined;
      value.hidden = tracks.length <= k || last === undefined;
      value.textContent = last === undefined ? "" : `${tracks.length > 1 ? `${SIDES[k]} ` : ""}${short(last, 2)} ${this.quantity.unit}`;
    });
    if (this.curves !== tracks.length && this.plot) this.rebuild();
    else this.draw();
  }

  protected override data(): uPlot.AlignedData {
    this.curves = this.tracks.length;
    const parts = this.tracks.map((track): uPlot.AlignedData => {
      const values = Array.from(track.column(this.quantity.column), (value) => (this.log ? (Math.abs(value) > 0 ? Math.abs(value) : null) : Number.isFinite(value) ? value : null));
      return [track.column("t"), values];
    });
    const [first, second] = parts;
    if (!first) return [[], []];
    if (!second) return first;
    const [x, y] = [first[0], second[0]];
    const same = x.length === y.length && x.at(-1) === y.at(-1) && x[1] === y[1];
    return same ? ([x, first[1], second[1]] as uPlot.AlignedData) : uPlot.join([first, second]);
  }

  protected override options(): Omit<uPlot.Options, "width" | "height"> {
    const series = this.tracks.map((_, k): uPlot.Series => ({ label: SIDES[k], stroke: sideColour(k), width: 1.5, spanGaps: true, points: { show: false }, dash: undefined }));
    const vertical = axis(undefined, 58);
    vertical.values = (_, splits) => splits.map((value) => (value === null ? "" : short(value, 3)));
    if (this.log) {
      vertical.splits = (_, __, low, high) => decades(low, high);
      vertical.filter = (_, splits) => splits;
    }
    return {
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { size: 5 }, y: false },
      padding: [6, 8, 0, 0],
      scales: {
        x: { time: false, range: (_, low, high) => (low === null || !(high > low) ? [0, 1] : [low, high]) },
        y: this.log ? { distr: 3, range: (_, low, high) => logRange(low, high) } : { range: (_, low, high) => linearRange(low, high) },
      },
      axes: [axis(undefined, 26), vertical],
      series: [{ label: "t", value: (_, t) => short(t) }, ...(series.length > 0 ? series : [{}])],
      hooks: { draw: [(plot) => this.cursor(plot)] },
    };
  }

  /** A line at the time that is shown, where that is not the end. */
  private cursor(plot: uPlot): void {
    if (!(this.now < (plot.scales.x?.max ?? 0))) return;
    const x = Math.round(plot.valToPos(this.now, "x", true));
    plot.ctx.save();
    plot.ctx.strokeStyle = colour("--ink");
    plot.ctx.setLineDash([4, 3]);
    plot.ctx.beginPath();
    plot.ctx.moveTo(x, plot.bbox.top);
    plot.ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
    plot.ctx.stroke();
    plot.ctx.restore();
  }
}

function logRange(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !(high > 0)) return [1e-16, 1];
  const bottom = Math.max(Math.floor(Math.log10(Math.max(low, high * 1e-16))), Math.floor(Math.log10(high)) - 16);
  return [10 ** bottom, 10 ** Math.max(Math.ceil(Math.log10(high)), bottom + 1)];
}

function linearRange(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [-1, 1];
  const margin = (high - low || Math.abs(high) || 1e-12) * 0.08;
  return [low - margin, high + margin];
}

/** Powers of ten, not more of them than there is room for. */
function decades(low: number, high: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  const every = Math.max(1, Math.ceil((last - first) / 5));
  const powers = [];
  for (let power = first; power <= last; power += every) powers.push(Number(`1e${power}`));
  return powers;
}

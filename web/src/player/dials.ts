// Motions of coordinates that have no place in space: a dial for an angle, a scale for a length, and the phase portrait
// of each, (q, q̇), with the present point on it; (t, q) where there are no rates.
import { THEMES, type ThemeName } from "../scene";
import type { Clip } from "./film";
import { figures } from "./format";

const LEAST_WIDTH = 270;
const HEIGHT = 210;
/** Frames of the path that are drawn strongly. */
const TAIL = 90;

/** One coordinate of one clip. */
interface Cell {
  clip: Clip;
  number: number;
  angle: boolean;
  title: string;
  colour: number;
  q: [number, number];
  x: Series;
  y: Series;
  /** The whole path, drawn once. */
  still: HTMLCanvasElement | null;
}

/** What is drawn along an axis of a portrait. */
interface Series {
  values: Float32Array;
  stride: number;
  offset: number;
  range: [number, number];
  /** Angles that go round and round are taken back to one turn. */
  turns: boolean;
  name: string;
}

export class Dials {
  readonly canvas = document.createElement("canvas");
  private readonly cells: Cell[] = [];
  private readonly observer: ResizeObserver;
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private readonly redraw = () => (this.forget(), this.show(this.time));
  private time = 0;
  private columns = 1;
  private width = 0;

  constructor(container: HTMLElement, clips: Clip[]) {
    this.canvas.className = "player-dials";
    this.canvas.setAttribute("role", "img");
    container.append(this.canvas);
    clips.forEach((clip, colour) => {
      const { coordinates } = clip;
      if (!coordinates) return;
      coordinates.names.forEach((name, number) => {
        const n = coordinates.names.length, angle = coordinates.angles[number] ?? false;
        const series = (values: Float32Array, stride: number, offset: number, called: string, turning = false): Series => {
          let range = extremes(values, stride, offset);
          const turns = turning && range[1] - range[0] > 2 * Math.PI;
          if (turns) range = [-Math.PI, Math.PI];
          return { values, stride, offset, range, turns, name: called };
        };
        const q = series(coordinates.q, n, number, name, angle);
        const [x, y] = coordinates.v
          ? [q, series(coordinates.v, n, number, "rate")]
          : [series(clip.times, 1, 0, "time"), q];
        const title = clips.length > 1 ? `${name} · ${clip.name}` : name;
        this.cells.push({ clip, number, angle, title, colour, q: q.range, x, y, still: null });
      });
    });
    this.canvas.setAttribute("aria-label", `Phase portraits of ${this.cells.map((cell) => cell.title).join(", ")}`);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(container);
    this.dark.addEventListener("change", this.redraw);
    this.resize();
  }

  show(t: number): void {
    this.time = t;
    const context = this.canvas.getContext("2d");
    if (!context || this.width === 0) return;
    const scale = this.canvas.width / this.width;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = THEMES[this.theme].background;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    const wide = this.width / this.columns;
    this.cells.forEach((cell, k) => {
      context.save();
      context.translate((k % this.columns) * wide, Math.floor(k / this.columns) * HEIGHT);
      this.cell(context, cell, wide, scale);
      context.restore();
    });
  }

  dispose(): void {
    this.observer.disconnect();
    this.dark.removeEventListener("change", this.redraw);
    this.canvas.remove();
  }

  private get theme(): ThemeName {
    return this.dark.matches ? "dark" : "light";
  }

  private cell(context: CanvasRenderingContext2D, cell: Cell, wide: number, scale: number): void {
    const { coordinates } = cell.clip;
    if (!coordinates) return;
    const theme = THEMES[this.theme], colour = theme.bodies[cell.colour % theme.bodies.length];
    const n = coordinates.names.length;
    const { k, next, part } = cell.clip.between(this.time);
    const value = ({ values, stride, offset }: Series) => (1 - part) * values[k * stride + offset] + part * values[next * stride + offset];
    const x = value(cell.x), y = value(cell.y);
    const q = (1 - part) * coordinates.q[k * n + cell.number] + part * coordinates.q[next * n + cell.number];
    const ink = this.theme === "dark" ? "#e6ebf1" : "#1f2730";

    context.font = "600 13px system-ui, sans-serif";
    context.fillStyle = ink;
    context.fillText(cell.title, 12, 20);
    context.font = "13px system-ui, sans-serif";
    context.fillText(cell.angle ? `${((q * 180) / Math.PI).toFixed(1)}°` : figures(q), 12, HEIGHT - 12);

    const gauge = { x: 52, y: HEIGHT / 2 + 4, r: 38 };
    if (cell.angle) dial(context, gauge, q, theme.gridCentre, colour, ink);
    else bar(context, gauge, (q - cell.q[0]) / (cell.q[1] - cell.q[0]), (0 - cell.q[0]) / (cell.q[1] - cell.q[0]), theme.gridCentre, colour, ink);

    const frame = { x: 118, y: 30, width: wide - 132, height: HEIGHT - 62 };
    cell.still ??= this.portrait(cell, frame.width, frame.height, scale);
    context.drawImage(cell.still, frame.x, frame.y, frame.width, frame.height);
    context.strokeStyle = theme.gridCentre;
    context.lineWidth = 1;
    context.strokeRect(frame.x, frame.y, frame.width, frame.height);
    const place = placer(cell, frame);
    context.strokeStyle = colour;
    context.lineWidth = 2;
    path(context, cell, Math.max(0, k - TAIL), k, place, [x, y]);
    context.fillStyle = colour;
    context.beginPath();
    context.arc(...place(x, y), 5, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = ink;
    context.textAlign = "right";
    context.fillText(`${cell.x.name} →`, frame.x + frame.width, HEIGHT - 12);
    context.textAlign = "left";
    context.fillText(`${cell.y.name} ↑`, frame.x, HEIGHT - 12);
  }

  private portrait(cell: Cell, width: number, height: number, scale: number): HTMLCanvasElement {
    const still = document.createElement("canvas");
    still.width = Math.max(1, Math.round(width * scale));
    still.height = Math.max(1, Math.round(height * scale));
    const context = still.getContext("2d");
    if (!context) return still;
    context.scale(scale, scale);
    const frame = { x: 0, y: 0, width, height }, place = placer(cell, frame), theme = THEMES[this.theme];
    context.strokeStyle = theme.grid;
    const [x, y] = place(0, 0);
    context.beginPath();
    context.moveTo(x, 0), context.lineTo(x, height), context.moveTo(0, y), context.lineTo(width, y);
    context.stroke();
    context.strokeStyle = theme.graticule;
    path(context, cell, 0, cell.clip.times.length - 1, place);
    return still;
  }

  private resize(): void {
    const width = this.canvas.parentElement?.clientWidth ?? 0;
    if (width === 0) return;
    this.columns = Math.max(1, Math.min(this.cells.length, Math.floor(width / LEAST_WIDTH)));
    const height = Math.ceil(this.cells.length / this.columns) * HEIGHT;
    const scale = Math.min(devicePixelRatio, 2);
    if (width !== this.width) {
      this.width = width;
      this.canvas.style.height = `${height}px`;
      this.canvas.width = Math.round(width * scale);
      this.canvas.height = Math.round(height * scale);
      this.forget();
    }
    this.show(this.time);
  }

  private forget(): void {
    for (const cell of this.cells) cell.still = null;
  }
}

type Place = (x: number, y: number) => [number, number];

/** With a little room. */
function extremes(values: Float32Array, stride: number, offset: number): [number, number] {
  let low = Infinity, high = -Infinity;
  for (let k = offset; k < values.length; k += stride) {
    if (values[k] < low) low = values[k];
    if (values[k] > high) high = values[k];
  }
  if (!(low <= high)) return [-1, 1];
  const room = 0.06 * (high - low) || 0.5;
  return [low - room, high + room];
}

function wrap(angle: number): number {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

function placer({ x, y }: Cell, frame: { x: number; y: number; width: number; height: number }): Place {
  const share = ({ range, turns }: Series, value: number) => ((turns ? wrap(value) : value) - range[0]) / (range[1] - range[0]);
  return (a, b) => [frame.x + share(x, a) * frame.width, frame.y + frame.height - share(y, b) * frame.height];
}

/** Through frames from one to another, and on to a point; broken where an angle begins anew. */
function path(context: CanvasRenderingContext2D, { x, y }: Cell, from: number, to: number, place: Place, end?: [number, number]): void {
  const jumps = ({ turns }: Series, a: number, b: number) => turns && Math.abs(wrap(a) - wrap(b)) > Math.PI;
  let before: [number, number] | null = null;
  context.beginPath();
  const go = (a: number, b: number) => {
    if (!before || jumps(x, a, before[0]) || jumps(y, b, before[1])) context.moveTo(...place(a, b));
    else context.lineTo(...place(a, b));
    before = [a, b];
  };
  for (let k = from; k <= to; k++) go(x.values[k * x.stride + x.offset], y.values[k * y.stride + y.offset]);
  if (end) go(...end);
  context.stroke();
}

interface Gauge {
  x: number;
  y: number;
  r: number;
}

/** Zero hangs down, as most angles here do, and is marked. */
function dial(context: CanvasRenderingContext2D, { x, y, r }: Gauge, angle: number, rim: string, colour: string, ink: string): void {
  context.strokeStyle = rim;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, r, 0, 2 * Math.PI);
  context.stroke();
  context.strokeStyle = ink;
  context.beginPath();
  context.moveTo(x, y + r - 5);
  context.lineTo(x, y + r + 3);
  context.stroke();
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = 3;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(x + (r - 6) * Math.sin(angle), y + (r - 6) * Math.cos(angle));
  context.stroke();
  context.beginPath();
  context.arc(x + (r - 6) * Math.sin(angle), y + (r - 6) * Math.cos(angle), 5, 0, 2 * Math.PI);
  context.fill();
}

/** Between the least and the greatest value; zero is marked where it is among them. */
function bar(
  context: CanvasRenderingContext2D, { x, y, r }: Gauge, part: number, zero: number, rim: string, colour: string, ink: string,
): void {
  const height = (share: number) => y + r - 2 * r * share;
  context.fillStyle = rim;
  context.fillRect(x - 3, y - r, 6, 2 * r);
  if (zero >= 0 && zero <= 1) {
    context.fillStyle = ink;
    context.fillRect(x - 9, height(zero) - 1, 18, 2);
    context.fillStyle = colour;
    context.fillRect(x - 3, Math.min(height(zero), height(part)), 6, Math.abs(height(zero) - height(part)));
  }
  context.fillStyle = colour;
  context.beginPath();
  context.arc(x, height(part), 7, 0, 2 * Math.PI);
  context.fill();
}

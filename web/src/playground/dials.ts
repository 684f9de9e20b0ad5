// Models that have no looks: two lengths as a path in their plane, else every coordinate as a dial or a bar.
import type { Loaded } from "../engine/types";
import { h } from "./dom";
import { short } from "./number";
import { sideColour } from "./plots/card";
import { spanOf } from "./plots/plane";
import type { Session } from "./session";
import { colour } from "./theme";

export class Dials {
  readonly element = h("canvas", { class: "dials", hidden: true, role: "img", "aria-label": "Coordinates as dials" });
  private model: Loaded | undefined;
  /** The largest size that was seen of every coordinate. */
  private sizes: number[] = [];

  constructor(private readonly session: Session) {
    session.events.on("restart", () => (this.sizes = []));
  }

  setModel(model: Loaded): void {
    this.model = model;
  }

  /** Both coordinates at one scale. Of long paths only the end is strong. */
  private path(context: CanvasRenderingContext2D, width: number, height: number): void {
    const names = this.model?.coordinates.names ?? [];
    const paths = this.session.tracks.map((track) => names.map((name) => track.column(`q ${name}`)) as [Float64Array, Float64Array]);
    const [across, up] = [0, 1].map((k) => spanOf(paths.map((one) => one[k] ?? []))) as [[number, number], [number, number]];
    const scale = 0.8 * Math.min(width / (across[1] - across[0] || 1), height / (up[1] - up[0] || 1));
    const place: Place = (x, y) => [width / 2 + scale * (x - (across[0] + across[1]) / 2), height / 2 - scale * (y - (up[0] + up[1]) / 2)];
    const origin = place(0, 0);
    context.strokeStyle = colour("--line");
    context.beginPath();
    context.moveTo(0, origin[1]);
    context.lineTo(width, origin[1]);
    context.moveTo(origin[0], 0);
    context.lineTo(origin[0], height);
    context.stroke();
    context.fillStyle = colour("--soft");
    context.font = "14px system-ui, sans-serif";
    context.fillText(`${names[0]} →`, width - 40, origin[1] - 8);
    context.fillText(`${names[1]} ↑`, origin[0] + 8, 60);
    paths.forEach(([x, y], side) => {
      context.strokeStyle = context.fillStyle = sideColour(side);
      context.lineWidth = 1.5;
      context.globalAlpha = 0.3;
      curve(context, x, y, 0, place);
      context.globalAlpha = 1;
      curve(context, x, y, Math.max(0, x.length - 150), place);
      context.beginPath();
      context.arc(...place(x.at(-1) ?? NaN, y.at(-1) ?? NaN), 8, 0, 7);
      context.fill();
    });
  }

  picture(): string {
    return this.element.toDataURL("image/png");
  }

  draw(): void {
    const { model, element } = this;
    const context = element.getContext("2d");
    if (!model || !context || element.clientWidth === 0) return;
    const ratio = devicePixelRatio;
    const [width, height] = [element.clientWidth, element.clientHeight];
    if (element.width !== Math.round(width * ratio)) element.width = Math.round(width * ratio);
    if (element.height !== Math.round(height * ratio)) element.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    if (model.coordinates.names.length === 2 && !model.coordinates.angles.some(Boolean)) return this.path(context, width, height);
    const names = model.coordinates.names.slice(0, 8);
    const columns = Math.min(names.length, Math.max(1, Math.round(Math.sqrt((names.length * width) / height))));
    const rows = Math.ceil(names.length / columns);
    names.forEach((name, k) => {
      const cell = { x: ((k % columns) + 0.5) * (width / columns), y: (Math.floor(k / columns) + 0.5) * (height / rows) };
      const size = Math.min(width / columns, height / rows) * 0.36;
      const values = this.session.samples.map((sample) => sample.q[k] ?? 0);
      this.sizes[k] = Math.max(this.sizes[k] ?? 1e-9, ...values.map(Math.abs));
      context.strokeStyle = colour("--line");
      context.lineWidth = 2;
      if (model.coordinates.angles[k]) dial(context, cell.x, cell.y, size, values);
      else bar(context, cell.x, cell.y, size, values, this.sizes[k] ?? 1);
      context.fillStyle = colour("--soft");
      context.font = "14px system-ui, sans-serif";
      context.textAlign = "center";
      context.fillText(`${name} = ${values.map((value) => short(value, 3)).join(" | ")}`, cell.x, cell.y + size + 24);
    });
  }
}

/** What `Dials` needs of a place on the canvas. */
type Place = (x: number, y: number) => [number, number];

function curve(context: CanvasRenderingContext2D, x: Float64Array, y: Float64Array, from: number, place: Place): void {
  context.beginPath();
  for (let k = from; k < x.length; k += 1) context.lineTo(...place(x[k] ?? NaN, y[k] ?? NaN));
  context.stroke();
}

/** Zero is straight down, and angles grow anticlockwise. */
function dial(context: CanvasRenderingContext2D, x: number, y: number, radius: number, values: number[]): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 7);
  context.stroke();
  values.forEach((angle, side) => {
    context.strokeStyle = context.fillStyle = sideColour(side);
    const end = [x + radius * Math.sin(angle), y + radius * Math.cos(angle)] as const;
    context.lineWidth = 4;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(...end);
    context.stroke();
    context.beginPath();
    context.arc(...end, 9, 0, 7);
    context.fill();
  });
}

function bar(context: CanvasRenderingContext2D, x: number, y: number, size: number, values: number[], most: number): void {
  context.beginPath();
  context.moveTo(x - size, y);
  context.lineTo(x + size, y);
  context.moveTo(x, y - 12);
  context.lineTo(x, y + 12);
  context.stroke();
  values.forEach((value, side) => {
    context.fillStyle = sideColour(side);
    context.beginPath();
    context.arc(x + (size * value) / most, y + (side === 0 ? -7 : 7), 10, 0, 7);
    context.fill();
  });
}

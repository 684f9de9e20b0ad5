// A coordinate and its velocity: the phase portrait.
import type { Loaded } from "../../engine/types";
import { h } from "../dom";
import type { Track } from "../track";
import { chooser, sideColour } from "./card";
import { PlaneChart, spanOf, wrapped } from "./plane";

/** A coordinate and the columns of its rate: one, or four for a component of ω × q: a b − c d. */
interface Pair {
  q: string;
  v: [string] | [string, string, string, string];
  label: string;
  angle: boolean;
}

/** Rates have other names than their coordinates, `speed.end` for `slide.end`, and some coordinates have none. */
function pairsOf({ traceColumns, coordinates, family }: Loaded): Pair[] {
  const rates = traceColumns.filter((name) => name.startsWith("v "));
  const owner = (column: string) => column.slice(column.indexOf(".") + 1);
  return traceColumns.flatMap((q): Pair[] => {
    if (!q.startsWith("q ") || q.startsWith("q quaternion.")) return [];
    const name = q.slice(2);
    const angle = coordinates.angles[coordinates.names.indexOf(name)] ?? false;
    if (family === "spheres") {
      const [body, axis] = [name.slice(0, -1), "xyz".indexOf(name.slice(-1))];
      const [next, last] = [(axis + 1) % 3, (axis + 2) % 3].map((k) => "xyz"[k] ?? "") as [string, string];
      const omega = `v ${body.replace(/^q\./, "omega.")}`;
      const v: Pair["v"] = [omega + next, `q ${body}${last}`, omega + last, `q ${body}${next}`];
      return v.every((column) => traceColumns.includes(column)) ? [{ q, v, label: `rate of ${name.replace(/^q\./, "")}`, angle }] : [];
    }
    const own = rates.find((rate) => rate === `v ${name}'`) ?? rates.find((rate) => name.includes(".") && owner(rate) === owner(name));
    return own ? [{ q, v: [own], label: own.slice(2), angle }] : [];
  });
}

function rate(track: Track, columns: Pair["v"]): Float64Array {
  const [a, b, c, d] = columns.map((name) => track.column(name)) as [Float64Array, Float64Array?, Float64Array?, Float64Array?];
  return b && c && d ? a.map((value, k) => value * (b[k] ?? 0) - (c[k] ?? 0) * (d[k] ?? 0)) : a;
}

export class Portrait extends PlaneChart {
  private readonly coordinate = chooser("Coordinate", () => this.rebuild());
  private tracks: Track[] = [];
  private pairs: Pair[] = [];
  private curves: { q: Float64Array; v: Float64Array }[] = [];

  constructor() {
    super("Phase portrait", "A coordinate against its velocity: for a conserved energy the path stays on a closed surface");
    this.controls.append(this.coordinate);
  }

  setModel(model: Loaded): void {
    const pairs = pairsOf(model);
    if (JSON.stringify(pairs) !== JSON.stringify(this.pairs)) {
      this.pairs = pairs;
      this.coordinate.replaceChildren(...pairs.map((pair) => h("option", {}, pair.q.slice(2))));
      this.coordinate.hidden = pairs.length < 2;
      this.plot?.destroy();
      this.plot = undefined;
    }
    this.element.hidden = pairs.length === 0;
  }

  show(tracks: Track[]): void {
    this.tracks = tracks;
    const pair = this.pairs[Math.max(0, this.coordinate.selectedIndex)];
    if (!pair || !this.visible) return;
    this.curves = this.tracks.map((track) => {
      const q = track.column(pair.q);
      return { q: pair.angle ? q.map(wrapped) : q, v: rate(track, pair.v) };
    });
    const names: [string, string] = [pair.q.slice(2), pair.label];
    if (names.join() !== this.names.join()) {
      this.names = names;
      this.plot?.destroy();
      this.plot = undefined;
    }
    this.bounds = { x: spanOf(this.curves.map((curve) => curve.q)), y: spanOf(this.curves.map((curve) => curve.v)) };
    this.draw();
  }

  override rebuild(): void {
    super.rebuild();
    if (this.tracks.length > 0) this.show(this.tracks);
  }

  protected override paint(context: CanvasRenderingContext2D, x: (value: number) => number, y: (value: number) => number): void {
    this.curves.forEach(({ q, v }, side) => {
      context.strokeStyle = context.fillStyle = sideColour(side);
      context.lineWidth = devicePixelRatio;
      context.globalAlpha = 0.75;
      context.beginPath();
      for (let k = 0; k < q.length; k += 1) {
        const [at, speed] = [q[k] ?? 0, v[k] ?? 0];
        if (k === 0 || Math.abs(at - (q[k - 1] ?? 0)) > Math.PI) context.moveTo(x(at), y(speed));
        else context.lineTo(x(at), y(speed));
      }
      context.stroke();
      context.globalAlpha = 1;
      const last = q.length - 1;
      context.beginPath();
      context.arc(x(q[last] ?? NaN), y(v[last] ?? NaN), 4 * devicePixelRatio, 0, 7);
      context.fill();
    });
  }
}

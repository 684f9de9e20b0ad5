// A plot with its heading: what is common to all of them.
import uPlot from "uplot";
import { h } from "../dom";
import { colour, onTheme } from "../theme";

export const SIDES = ["A", "B"] as const;

/** The colour of a run's curves. */
export function sideColour(side: number): string {
  return colour(side === 0 ? "--curve-a" : "--curve-b");
}

export abstract class Card {
  readonly element: HTMLElement;
  protected readonly controls = h("span", { class: "controls" });
  protected readonly values = SIDES.map((name, k) => h("output", { class: `side-value ${k === 0 ? "a" : "b"}`, title: `Now, ${name}` }));
  private readonly box = h("div", { class: "plot" });
  protected plot: uPlot | undefined;
  private width = 0;
  private height = 0;

  constructor(heading: string, about: string) {
    this.element = h("figure", { class: "plot-card" }, h("figcaption", { title: about }, h("strong", {}, heading), h("span", { class: "side-values" }, ...this.values), this.controls), this.box);
    new ResizeObserver(() => this.resize()).observe(this.box);
    onTheme(() => this.rebuild());
  }

  get visible(): boolean {
    return !this.element.hidden && this.element.offsetParent !== null;
  }

  /** The plot as it is configured now, of no data yet. */
  protected abstract options(): Omit<uPlot.Options, "width" | "height">;
  protected abstract data(): uPlot.AlignedData;

  /** Makes the plot anew: for another scale, theme or number of curves. */
  rebuild(): void {
    this.plot?.destroy();
    this.plot = undefined;
    this.draw();
  }

  /** Draws the present data. */
  draw(): void {
    if (!this.visible || this.width < 40) return;
    if (this.plot) this.plot.setData(this.data());
    else this.plot = new uPlot({ width: this.width, height: this.height, ...this.options() }, this.data(), this.box);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.box;
    if (clientWidth < 40 || (clientWidth === this.width && clientHeight === this.height)) return;
    [this.width, this.height] = [clientWidth, clientHeight];
    if (this.plot) this.plot.setSize({ width: clientWidth, height: clientHeight });
    else this.draw();
  }
}

/** A box to tick, in the heading of a plot. */
export function toggle(words: string, on: boolean, change: (on: boolean) => void): HTMLLabelElement {
  const input = h("input", { type: "checkbox", onchange: () => change(input.checked) });
  input.checked = on;
  return h("label", { class: "check" }, input, words);
}

/** A choice among names, in the heading of a plot. */
export function chooser(label: string, change: (index: number) => void): HTMLSelectElement {
  const select = h("select", { "aria-label": label, title: label, onchange: () => change(select.selectedIndex) });
  return select;
}

export function axis(label?: string, size = 56): uPlot.Axis {
  const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const font = `${Math.round(11 * scale)}px system-ui, sans-serif`;
  return {
    stroke: colour("--soft"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { stroke: colour("--line"), width: 1, size: 4 },
    font,
    labelFont: font,
    labelSize: 14 * scale,
    label,
    size: size * scale,
    gap: 3,
  };
}

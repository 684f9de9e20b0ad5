// A line that says what a frame costs.
import { h } from "./dom";

const PARTS = ["engine", "realTime", "scene", "plots"] as const;
type Part = (typeof PARTS)[number];

export class Meter {
  readonly element = h("p", { class: "meter", hidden: true, "aria-label": "Performance" });
  private frames = 0;
  private since = 0;
  private readonly sums = { engine: 0, realTime: 0, scene: 0, plots: 0 };
  private readonly worst = { engine: 0, realTime: 0, scene: 0, plots: 0 };

  toggle(): void {
    this.element.hidden = !this.element.hidden;
  }

  /** What a frame cost, ms. */
  frame(now: number, cost: Record<Part, number>): void {
    this.frames += 1;
    for (const key of PARTS) {
      this.sums[key] += cost[key];
      this.worst[key] = Math.max(this.worst[key], cost[key]);
    }
    if (now - this.since < 1000) return;
    const mean = (key: Part) => `${(this.sums[key] / this.frames).toFixed(2)} ms (≤ ${this.worst[key].toFixed(1)})`;
    const rate = (this.frames * 1000) / (now - this.since);
    if (!this.element.hidden) this.element.textContent = `engine ${mean("engine")}, ${(this.sums.realTime / this.frames).toFixed(2)} ms for 1/60 s of motion · scene ${mean("scene")} · plots ${mean("plots")} · ${rate.toFixed(0)} frames/s`;
    this.element.dataset.cost = JSON.stringify({ ...Object.fromEntries(PARTS.map((part) => [part, this.sums[part] / this.frames])), rate });
    this.since = now;
    this.frames = 0;
    for (const key of PARTS) this.sums[key] = this.worst[key] = 0;
  }
}

// All plots of the page. They are drawn a few times a second, not in every frame.
import type { Loaded, Sample, Swarm } from "../../engine/types";
import { h } from "../dom";
import type { Session } from "../session";
import { Track } from "../track";
import { Portrait } from "./portrait";
import { Section } from "./section";
import { TimeChart } from "./time";

const PERIOD = 120;

export class Board {
  readonly element: HTMLElement;
  /** What drawing cost last time, ms. */
  spent = 0;
  private readonly energy = new TimeChart({ heading: "Energy error", about: "Energy less that of the start", column: "error", unit: "J", log: false });
  private readonly momentum = new TimeChart({ heading: "Change of invariants", about: "Largest change since the start of a momentum, or of another quantity that the motion conserves", column: "momentum", unit: "", log: true });
  private readonly length = new TimeChart({ heading: "Unit length", about: "Largest |1 − q·q| of a direction", column: "length", unit: "", log: true });
  private readonly constraint = new TimeChart({ heading: "Constraint violation", about: "Largest violation of a constraint", column: "constraint", unit: "", log: true });
  private readonly spread = new TimeChart({ heading: "Spread of the swarm", about: "Root mean square distance of 200 copies that started 1e-6 apart", column: "spread", unit: "m", log: true });
  private readonly portrait = new Portrait();
  private readonly section = new Section();
  private readonly swarm = new Track(["t", "spread"]);
  private due = 0;
  private stale = false;

  constructor(
    private readonly session: Session,
    ...more: HTMLElement[]
  ) {
    const cards = [this.energy, this.momentum, this.length, this.constraint, this.spread, this.portrait, this.section];
    this.element = h("div", { class: "board" }, ...cards.map((card) => card.element), ...more);
    session.events.on("model", (model) => this.setModel(model));
    session.events.on("restart", () => this.clear());
    session.events.on("samples", (samples) => this.take(samples));
    session.events.on("swarm", (swarm) => this.takeSwarm(swarm));
    session.events.on("setup", (setup) => (this.spread.element.hidden = !setup.nudge));
  }

  /** Once a frame. */
  draw(now: number): void {
    if (!this.stale || now < this.due) return;
    const begin = performance.now();
    const { tracks } = this.session;
    const time = this.session.isBack ? this.session.time : Infinity;
    for (const chart of [this.energy, this.momentum, this.length, this.constraint]) if (!chart.element.hidden) chart.show(tracks, time);
    if (!this.spread.element.hidden) this.spread.show([this.swarm], time);
    this.portrait.show(tracks);
    if (!this.section.element.hidden) this.section.show();
    this.stale = false;
    this.spent = performance.now() - begin;
    // Where drawing is slow it is done less often.
    this.due = now + Math.max(PERIOD, 8 * this.spent);
  }

  /** To draw though nothing has moved. */
  touch(): void {
    this.stale = true;
    this.due = 0;
  }

  private setModel(model: Loaded): void {
    this.momentum.element.hidden = model.conserved.length === 0;
    this.length.element.hidden = !model.hasUnitLength;
    this.constraint.element.hidden = !model.hasConstraint;
    this.spread.element.hidden = !this.session.setup.nudge;
    const heading = this.energy.element.querySelector("strong");
    if (heading) heading.textContent = model.driven ? "Energy since the start" : "Energy error";
    this.portrait.setModel(model);
    this.section.setModel(model);
  }

  private clear(): void {
    this.section.clear();
    this.swarm.clear();
    this.stale = true;
  }

  private take(samples: Sample[]): void {
    this.section.push(samples);
    this.stale = true;
  }

  private takeSwarm(swarm: Swarm): void {
    this.swarm.push([this.session.samples[0]?.t ?? 0, swarm.spread]);
  }
}

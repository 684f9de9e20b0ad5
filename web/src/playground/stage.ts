// The mechanism in 3-D, one view for every run, under one camera. A body can be taken hold of to set its start.
import type { Direction, Loaded, Sample } from "../engine/types";
import { directionOnSphere, SceneView, type Scene, type Vec3 } from "../scene";
import { Dials } from "./dials";
import { h } from "./dom";
import type { Session } from "./session";
import { withSettings } from "./setup";
import { onTheme, theme } from "./theme";

/** So far the pointer may go before a press becomes a drag, px. */
const SLACK = 4;

/** So many times as far as at the start, a run has lost itself. */
const FAR = 100;

interface Drag {
  body: Loaded["draggable"][number];
  view: number;
  from: [number, number];
  begun: boolean;
  playing: boolean;
}

export class Stage {
  readonly element: HTMLElement;
  /** What drawing cost last time, ms. */
  spent = 0;
  private readonly host = h("div", { class: "scene-host waiting" });
  private readonly labels = h("div", { class: "side-labels" });
  private readonly dials: Dials;
  private view: SceneView | undefined;
  private shape = "";
  private subject: string | undefined;
  private sides = 0;
  private shown = { at: 0, time: 0 };
  /** Beyond it nothing is drawn, m. */
  private reach = Infinity;
  private model: Loaded | undefined;
  private drag: Drag | undefined;
  /** A press on what cannot be dragged, and why: told when the pointer moves, once. */
  private refused: { from: [number, number]; why: string } | undefined;
  /** Where the pointer is now, as a question to the engine. */
  private wanted: (() => Promise<Direction>) | undefined;
  private asking = false;

  constructor(
    private readonly session: Session,
    private readonly tell: (text: string) => void,
  ) {
    this.dials = new Dials(session);
    this.element = h("div", { class: "stage" }, this.host, this.dials.element, this.labels);
    session.events.on("model", (model) => this.setModel(model));
    for (const name of ["restart", "jump"] as const) session.events.on(name, () => this.view?.clearTraces());
    session.events.on("samples", (samples) => this.label(samples));
    session.events.on("restart", () => (this.reach = Infinity));
    session.events.on("swarm", (swarm) => this.view?.setSwarm(0, swarm.points));
    session.events.on("setup", (setup) => !setup.nudge && this.view?.setSwarm(0, null));
    onTheme((now) => this.view?.setTheme(now));
    this.host.addEventListener("pointerdown", (event) => this.press(event), true);
    this.host.addEventListener("pointermove", (event) => this.move(event), true);
    for (const name of ["pointerup", "pointercancel"] as const) this.host.addEventListener(name, () => this.release(), true);
  }

  /** Makes the view, as large as it will be, and has the programs of the usual shapes compiled, while the engine starts. */
  async warm(): Promise<void> {
    this.view = new SceneView(this.host, [], []);
    // What the engine answers meanwhile goes first.
    await new Promise((resolve) => setTimeout(resolve));
    if (this.model) return;
    const shapes: Scene["shapes"] = [
      { kind: "rod", body: 0, from: 0, to: 1, radius: 0.01 },
      { kind: "mass", body: 0, at: 1, radius: 0.05 },
      { kind: "pivot", at: 0 },
    ];
    this.view.setScenes([{ frames: [], points: ["a", "b"], shapes, down: [0, 0, -1], size: 1 }], [""]);
    this.view.update(0, { points: Float32Array.of(0, 0, 0, 1, 0, 0), framePositions: new Float32Array(0), frameRotations: new Float32Array(0) });
    this.view.render();
  }

  /** Once a frame. */
  draw(): void {
    const begin = performance.now();
    if (!this.model) return;
    if (this.dials.element.hidden && this.view) {
      this.session.samples.forEach((_, side) => {
        const poses = this.session.poses(side);
        // What has lost itself would make the picture of the others too small to see.
        if (!poses || this.isLost(poses.points)) return;
        if (poses.points.length < 1000) this.smooth(side, begin);
        this.view?.update(side, poses);
      });
      this.view.render();
    } else this.dials.draw();
    this.shown = { at: begin, time: this.session.time };
    this.spent = performance.now() - begin;
  }

  private isLost(points: Float32Array): boolean {
    for (const place of points) if (Math.abs(place) > this.reach) return true;
    return false;
  }

  /** Where frames are few, traces are bent between them. */
  private smooth(side: number, now: number): void {
    const { at, time } = this.shown;
    const way = this.session.time - time;
    const parts = Math.min(8, Math.round((now - at) / 16));
    if (!(way > 0) || way > 0.3 * this.session.speed || parts < 2) return;
    for (let k = 1; k < parts; k += 1) {
      const poses = this.session.poses(side, time + (way * k) / parts);
      if (poses) this.view?.trace(side, poses);
    }
  }

  resetCamera(): void {
    this.view?.resetCamera();
  }

  /** The picture as a data URL. */
  picture(): string | undefined {
    this.draw();
    return this.dials.element.hidden ? this.view?.snapshot() : this.dials.picture();
  }

  private setModel(model: Loaded): void {
    this.model = model;
    const sides = this.session.setup.sides.length;
    this.dials.setModel(model);
    this.host.classList.toggle("can-drag", model.draggable.length > 0);
    const shape = `${sides} ${this.session.setup.scenario ?? ""} ${JSON.stringify(model.scene)}`;
    if (shape === this.shape) return;
    this.shape = shape;
    const drawn = model.scene.shapes.length > 0;
    this.dials.element.hidden = drawn;
    this.host.hidden = !drawn;
    this.host.classList.remove("waiting");
    if (!drawn) return;
    const scenes: Scene[] = Array.from({ length: sides }, () => model.scene as Scene);
    const names = scenes.map(() => "");
    const same = this.subject === this.session.setup.scenario && sides === this.sides;
    if (this.view) this.view.setScenes(scenes, names);
    else this.view = new SceneView(this.host, scenes, names);
    this.subject = this.session.setup.scenario;
    this.sides = sides;
    if (!this.view.ok) this.tell("This browser has no WebGL, which the picture needs; plots and numbers go on without it.");
    this.view.setTheme(theme());
    if (!same) this.view.resetCamera();
  }

  /** What each view shows, and why it stands still if it does. */
  private label(samples: Sample[]): void {
    if (this.reach === Infinity) this.reach = FAR * Math.max(this.model?.scene.size ?? 0, ...samples.flatMap(({ points }) => Array.from(points.subarray(0, 3000), Math.abs)).filter(Number.isFinite));
    const names = samples.map((_, side) => `${this.session.methodOf(side)}, ${this.session.stepOf(side)} s`);
    const parts = samples.map((sample, side) => {
      const chip = h("span", { class: `side-label ${side === 0 ? "a" : "b"}` }, h("b", {}, "AB"[side]), ` ${names[side]}`);
      return h("div", { class: "side" }, chip, sample.failed !== undefined && h("p", { class: "failed", role: "alert" }, sample.failed));
    });
    const key = names.join() + samples.map((sample) => sample.failed).join();
    if (this.labels.dataset.key === key) return;
    this.labels.dataset.key = key;
    this.labels.replaceChildren(...parts);
  }

  private press(event: PointerEvent): void {
    const model = this.model;
    if (event.button !== 0 || !this.view || !model) return;
    const picked = this.view.pick(event.clientX, event.clientY);
    const own = picked && model.draggable.find(({ body, point }) => (point !== undefined && point === picked.point) || body === model.bodies[picked.body ?? -1]);
    if (!own) {
      if (picked) this.refused = { from: [event.clientX, event.clientY], why: model.notDraggable ?? "This part cannot be dragged: move its sliders instead" };
      return;
    }
    this.drag = { view: picked.view, body: own, from: [event.clientX, event.clientY], begun: false, playing: this.session.playing };
    this.view.controlsEnabled = false;
  }

  private move(event: PointerEvent): void {
    const { drag, view } = this;
    if (!view) return;
    if (!drag) {
      if (this.refused && moved(event, this.refused.from)) {
        this.tell(sentence(this.refused.why));
        this.refused = undefined;
      }
      if (event.pointerType === "mouse" && event.buttons === 0) this.hover(event);
      return;
    }
    event.preventDefault();
    if (!drag.begun && !moved(event, drag.from)) return;
    drag.begun = true;
    this.session.play(false);
    const ray = view.ray(event.clientX, event.clientY, drag.view);
    const points = this.session.samples[drag.view]?.points;
    if (!ray || !points) return;
    const { engine } = this.session;
    const { body, pivot, radius } = drag.body;
    if (pivot === undefined) this.wanted = () => engine.pull(body, ray.origin, ray.direction);
    else {
      const centre: Vec3 = [points[3 * pivot] ?? 0, points[3 * pivot + 1] ?? 0, points[3 * pivot + 2] ?? 0];
      const direction = directionOnSphere(ray, centre, radius);
      this.wanted = () => engine.setDirection(body, direction);
    }
    if (!this.asking) void this.ask();
  }

  /** Asks the engine for the settings, one question at a time, the latest place first. */
  private async ask(): Promise<void> {
    this.asking = true;
    while (this.wanted) {
      const question = this.wanted;
      this.wanted = undefined;
      const answer = await question();
      if (answer.ok) this.session.change({ settings: withSettings(this.session.setup.settings, answer.settings) }, "restart");
      else {
        this.tell(sentence(answer.reason));
        break;
      }
    }
    this.asking = false;
  }

  private release(): void {
    this.refused = undefined;
    if (!this.drag) return;
    if (this.view) this.view.controlsEnabled = true;
    if (this.drag.begun && this.drag.playing) this.session.play(true);
    this.drag = undefined;
  }

  private hover(event: PointerEvent): void {
    const picked = this.model?.draggable.length ? this.view?.pick(event.clientX, event.clientY) : null;
    const own = picked && this.model?.draggable.some(({ body, point }) => (point !== undefined && point === picked.point) || body === this.model?.bodies[picked.body ?? -1]);
    this.host.style.cursor = own ? "grab" : "";
  }
}

function moved(event: PointerEvent, from: [number, number]): boolean {
  return Math.hypot(event.clientX - from[0], event.clientY - from[1]) >= SLACK;
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

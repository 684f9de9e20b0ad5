// The model that is shown and its runs. All calls of the engine that move something are made here, one after the other:
// first what was changed, then where the reader wants to be, then the motion.
import { EngineStopped, type Advanced, type Engine, type Loaded, type Problem, type Sample, type Swarm } from "../engine/types";
import { Events } from "./events";
import { floorTo125, roundTo125, short } from "./number";
import type { Setup, Side } from "./setup";
import { Between, Track } from "./track";

export const SWARM = { count: 200, spread: 1e-6 };
/** Time for the engine within a frame, ms; where frames are slow it is most of a frame. */
const BUDGET = { least: 12, most: 100, part: 0.7 };
/** The most work for a frame, ms, where the reader has not chosen the speed; and after how many pieces it is judged. */
const WORK = { most: 4, pieces: 20 };

export interface SessionEvents {
  /** A model was loaded and its runs opened. */
  model: Loaded;
  /** What is wrong with the model; empty if nothing is. */
  problems: Problem[];
  /** Runs begin anew: what was plotted is over. */
  restart: void;
  /** The time was set. */
  jump: void;
  /** Runs have moved. */
  samples: Sample[];
  swarm: Swarm;
  setup: Setup;
  playing: boolean;
  /** The motion was slowed to what the engine can do, or no longer is. */
  slowed: number | undefined;
  /** A sentence for the reader. */
  message: { text: string; tone: "neutral" | "bad" };
}

type Wish = "restart" | "go on";

export class Session {
  readonly events = new Events<SessionEvents>();
  setup: Setup = { text: "", settings: [], sides: [{}], goOn: false, nudge: false };
  model: Loaded | undefined;
  samples: Sample[] = [];
  /** Where the runs started. */
  start: { q: Float64Array; v: Float64Array } = { q: new Float64Array(0), v: new Float64Array(0) };
  /** What every run came through: the columns of the engine and `error`, of the energy. */
  tracks: Track[] = [];
  /** What is shown now, s. */
  time = 0;
  /** The latest time that was reached, s. */
  reached = 0;
  playing = false;
  /** The engine's work for the last frame, ms. */
  spent = 0;
  /** The same for a sixtieth of a second of the model, ms. */
  realTime = 0;
  /** The speed that the engine can do with little work, as far as it is less than the natural one. */
  slowed: number | undefined;
  private costs: number[] = [];
  private between: Between<Sample>[] = [];
  private wish: Wish | undefined;
  private goal: number | undefined;
  private steps = 0;
  private busy = false;
  private last = 0;

  constructor(readonly engine: Engine) {}

  get step(): number {
    return this.setup.sides[0]?.step ?? this.model?.step ?? 0.01;
  }

  get speed(): number {
    return this.setup.speed ?? this.slowed ?? naturalSpeed(this.model);
  }

  /** The step of a run, which may be its own. */
  stepOf(side: number): number {
    return this.setup.sides[side]?.step ?? this.step;
  }

  methodOf(side: number): string {
    return this.setup.sides[side]?.method ?? this.model?.method ?? "";
  }

  /** Whether the time was taken back. */
  get isBack(): boolean {
    return this.time < this.reached - 3 * this.step - 0.2 * this.speed;
  }

  /** Changes what is shown; what is left out stays. */
  change(change: Partial<Setup>, wish?: Wish): void {
    this.setup = { ...this.setup, ...change };
    if (wish === "restart" || (wish === "go on" && this.wish === undefined)) this.wish = wish;
    this.events.emit("setup", this.setup);
  }

  /** A change of something that the motion could outlast, if the reader wants it to. */
  changeModel(change: Partial<Setup>): void {
    this.change(change, this.setup.goOn ? "go on" : "restart");
  }

  play(on = !this.playing): void {
    this.playing = on;
    this.events.emit("playing", on);
  }

  restart(): void {
    this.wish = "restart";
  }

  seek(t: number): void {
    this.goal = Math.max(0, Math.min(t, this.reached));
  }

  /** Pauses, and goes a few steps on, or back. */
  stepBy(count: number): void {
    this.play(false);
    if (count > 0) this.steps += count;
    else this.seek((this.samples[0]?.t ?? 0) + count * this.step);
  }

  /** A swarm around where A is, or none. */
  async nudge(on: boolean): Promise<void> {
    this.change({ nudge: on });
    await this.guarded(async () => this.engine.swarm(on ? SWARM.count : 0, SWARM.spread));
  }

  /** Once a frame. */
  tick(now: number): void {
    const passed = Math.min((now - this.last) / 1000, 0.25);
    this.last = now;
    const newest = Math.max(0, ...this.samples.map((sample) => sample.t));
    const idle = this.goal === undefined && this.wish === undefined;
    if (this.playing && idle && this.model) this.time = Math.min(this.time + passed * this.speed, newest);
    if (this.busy) return;
    this.busy = true;
    void this.guarded(() => this.work(passed)).finally(() => (this.busy = false));
  }

  /** Where a run is drawn: between two steps, too. */
  poses(side: number, time = this.time): { points: Float32Array; framePositions: Float32Array; frameRotations: Float32Array; heat?: Float32Array } | undefined {
    const arrays = this.between[side]?.at(time);
    if (!arrays) return undefined;
    const [points, framePositions, frameRotations] = arrays as [Float32Array, Float32Array, Float32Array];
    return { points, framePositions, frameRotations, heat: this.samples[side]?.heat };
  }

  private async work(passed: number): Promise<void> {
    if (this.wish) return this.reload(this.wish);
    if (this.goal !== undefined) {
      const samples = await this.engine.seek(this.goal);
      this.goal = undefined;
      this.between.forEach((between, k) => samples[k] && between.reset(samples[k]));
      this.events.emit("jump", undefined);
      this.take(samples);
      this.time = samples[0]?.t ?? 0;
      if (this.setup.nudge) this.change({ nudge: false });
      return;
    }
    if (!this.model || this.samples.length === 0 || this.samples.every((sample) => sample.failed)) return;
    const newest = Math.max(...this.samples.map((sample) => sample.t));
    const lead = this.steps > 0 ? this.steps * this.step : this.time + this.step + passed * this.speed - newest;
    if (this.steps === 0 && (!this.playing || lead < 0.5 * this.step)) return;
    const single = this.steps > 0;
    this.steps = 0;
    await this.moveOn(this.engine.advance(Math.max(lead, this.step), Math.min(BUDGET.most, Math.max(BUDGET.least, 1000 * BUDGET.part * passed))));
    if (single) this.time = Math.max(...this.samples.map((sample) => sample.t));
  }

  private async moveOn(asked: Promise<Advanced>): Promise<void> {
    const { samples, spent } = await asked;
    const newest = Math.max(...this.samples.map((sample) => sample.t));
    this.spent = spent;
    const way = Math.max(...samples.map((sample) => sample.t)) - newest;
    if (way > 0) this.judge((this.realTime = spent / way / 60));
    if (this.wish) return;
    samples.forEach((sample, k) => this.between[k]?.push(sample));
    this.take(samples);
    if (this.setup.nudge) this.events.emit("swarm", await this.engine.swarmPoints());
  }

  /** Slows the motion where the engine cannot keep up with it. By the least of some costs: others are of other things. */
  private judge(cost: number): void {
    if (this.setup.speed !== undefined) return;
    this.costs.push(cost);
    if (this.costs.length < WORK.pieces) return;
    const least = Math.min(...this.costs);
    this.costs = [];
    const before = this.slowed;
    const possible = WORK.most / least;
    // Not again and again between two values.
    if (before !== undefined && possible > 0.8 * before && possible < 4 * before) return;
    this.slowed = possible < naturalSpeed(this.model) ? floorTo125(possible) : undefined;
    if (this.slowed === before) return;
    this.events.emit("slowed", this.slowed);
    if (this.slowed === undefined || before !== undefined) return;
    const text = `For 1/60 s of this motion the engine needs ${least.toFixed(0)} ms: it is shown at ${short(this.slowed, 1)}× real time.`;
    this.events.emit("message", { text, tone: "neutral" });
  }

  private take(samples: Sample[]): void {
    samples.forEach((sample, k) => {
      const before = this.samples[k]?.failed;
      if (sample.failed && !before) this.events.emit("message", { text: `${"AB"[k]}: ${sample.failed}`, tone: "bad" });
      this.tracks[k]?.push(withError(sample, this.model?.traceColumns.length ?? 1));
    });
    this.samples = samples;
    this.reached = Math.max(this.reached, ...samples.map((sample) => sample.t));
    this.events.emit("samples", samples);
  }

  /** Loads the model as it is wanted now. If it is wrong, the old one goes on. */
  private async reload(wish: Wish): Promise<void> {
    this.wish = undefined;
    this.goal = undefined;
    const { text, settings } = this.setup;
    const loaded = await this.engine.load(text, settings);
    if (!loaded.ok) return this.events.emit("problems", loaded.problems);
    const sides = this.setup.sides.map((side) => this.usable(side, loaded.model));
    const runs = sides.map((side) => ({ method: side.method, step: side.step ?? sides[0]?.step }));
    const goOn = wish === "go on" && this.samples.length > 0;
    const opened = await this.engine.open(runs, goOn);
    if (!opened.ok) return this.events.emit("problems", opened.problems);
    // The engine goes on while the page is changed.
    const swarm = this.setup.nudge ? this.engine.swarm(SWARM.count, SWARM.spread) : undefined;
    const ahead = this.playing ? this.engine.advance(2 * this.step, BUDGET.least) : undefined;
    // Questions are sent when nothing else is at work.
    await Promise.resolve();
    this.events.emit("problems", loaded.model.notes);
    if (this.model?.title !== loaded.model.title) this.slowed = undefined;
    this.costs = [];
    this.model = loaded.model;
    if (text === this.setup.text) this.setup = { ...this.setup, sides, scenario: loaded.model.scenario };
    const fresh = !goOn || opened.restarted !== undefined || opened.samples.length !== this.tracks.length;
    const first = opened.samples[0];
    if (first && (!goOn || opened.restarted !== undefined)) this.start = { q: first.q, v: first.v };
    const columns = [...loaded.model.traceColumns, "error"];
    if (fresh || columns.join() !== this.tracks[0]?.columns.join()) {
      this.tracks = opened.samples.map(() => new Track(columns));
      this.reached = 0;
      this.events.emit("restart", undefined);
    }
    this.between = opened.samples.map((sample) => {
      const between = new Between<Sample>((one) => [one.points, one.framePositions, one.frameRotations]);
      between.reset(sample);
      return between;
    });
    this.samples = [];
    this.time = opened.samples[0]?.t ?? 0;
    this.events.emit("model", loaded.model);
    this.take(opened.samples);
    await swarm;
    if (ahead) await this.moveOn(ahead);
  }

  /** A side whose method is not for this model gets that of the model. */
  private usable(side: Side, model: Loaded): Side {
    const method = model.methods.find(({ name }) => name === side.method);
    if (side.method === undefined || (method && !method.unsupported)) return side;
    const why = method?.unsupported ?? "there is no such method";
    this.events.emit("message", { text: `${side.method} cannot be used here: ${why}. Instead: ${model.method}.`, tone: "neutral" });
    return { ...side, method: undefined };
  }

  /** A fault of the engine is told; its worker has been started again, and so is the model. */
  private async guarded(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.play(false);
      const again = error instanceof EngineStopped && this.model !== undefined;
      this.events.emit("message", { text: `${error.message}${again ? ". It was started again, and the model from its start." : ""}`, tone: "bad" });
      this.samples = [];
      if (again) this.wish = "restart";
      else if (!(error instanceof EngineStopped)) console.error(error);
    }
  }
}

/** The rows of a sample with one more column: the error of the energy. */
function withError(sample: Sample, width: number): Float64Array {
  const rows = sample.trace.length / width;
  const all = new Float64Array(rows * (width + 1));
  for (let row = 0; row < rows; row += 1) {
    all.set(sample.trace.subarray(row * width, (row + 1) * width), row * (width + 1));
    all[row * (width + 1) + width] = (sample.trace[row * width + 1] ?? NaN) - sample.energyAtStart;
  }
  return all;
}

/** Short motions are shown slowly: at least ten seconds for all of it, and at most so fast as they are. */
function naturalSpeed(model: Loaded | undefined): number {
  return model && model.duration < 10 ? Math.min(1, roundTo125(model.duration / 10)) : 1;
}

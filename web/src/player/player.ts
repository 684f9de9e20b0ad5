// A film with its clock and its controls.
import { heatColours, SceneView } from "../scene";
import { Bar } from "./bar";
import { Dials } from "./dials";
import { Figures } from "./figures";
import { Film, type Clip, type FilmText } from "./film";
import { metres, places, seconds } from "./format";
import style from "./style.css";

/** A whole run in so many seconds, if not at its own speed. */
const WHOLE = 20;
/** Runs that last so long are shown at their own speed. */
const OWN_SPEED: [number, number] = [4, 60];
/** How long the end of a run stays before it begins again, s. */
const REST = 0.9;
/** Moments that a trace is made of, and how many of them pass in a second: however fast the browser draws. */
const TRACE = 180;
const TRACE_RATE = 60;
const SPEEDS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];

export class Player {
  film: Film;
  /** The present moment, s. */
  time: number;
  speed: number;
  loop = true;
  playing = false;
  private readonly stage = document.createElement("div");
  private readonly notes = document.createElement("div");
  private readonly bar: Bar;
  private readonly figures: Figures;
  private scene: SceneView | null = null;
  private dials: Dials | null = null;
  private tick = 0;
  private before = 0;
  private rested = 0;
  /** Up to when traces were drawn; none after a jump. */
  private traced = -Infinity;
  /** Someone chose to stop: it does not start by itself again. */
  private stopped = false;
  private inSight = false;

  constructor(readonly root: HTMLElement, text: FilmText) {
    document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
    this.film = new Film(text);
    this.time = this.film.begin;
    this.speed = this.usualSpeed();
    this.stage.className = "player-stage";
    this.notes.className = "player-notes";
    this.bar = new Bar(this, this.speeds());
    this.figures = new Figures((t) => (this.stop(), this.seek(t)));
    // What was there stays, for print and where nothing can be drawn.
    const still = document.createElement("div");
    still.className = "player-still";
    still.append(...root.childNodes);
    root.classList.add("player", "player-live");
    root.append(this.stage, this.bar.root, this.notes, still);
    this.raise();
    root.addEventListener("keydown", (event) => this.bar.key(event));
    this.startWhenSeen();
    this.seek(this.film.begin);
  }

  /** Another film in the same place, such as a longer one of a run that goes on; from the end of one to that of the other. */
  setFilm(text: FilmText): void {
    const atEnd = this.time >= this.film.end - 1e-9;
    const usual = this.speed === this.usualSpeed();
    const looks = ({ clips }: Film) => JSON.stringify(clips.map(({ name, scene, visible }) => [name, scene, visible]));
    const before = looks(this.film), shown = this.film.clips.filter((clip) => clip.visible).length;
    this.film = new Film(text);
    if (usual) this.speed = this.usualSpeed();
    const seen = this.film.clips.filter((clip) => clip.visible);
    if (this.scene?.ok && seen.length === shown) {
      // As after a change of a length: the camera stays where it was put.
      if (looks(this.film) !== before) this.scene.setScenes(seen.map((clip) => clip.scene), seen.map((clip) => this.label(clip)), true);
      this.scene.fit(this.film.bounds(), true);
      this.writeNotes();
    } else {
      this.raise();
    }
    this.bar.setSpeeds(this.speeds());
    this.seek(atEnd ? this.film.end : this.time);
  }

  play(): void {
    if (this.playing) return;
    this.stopped = false;
    if (this.time >= this.film.end) this.seek(this.film.begin);
    this.playing = true;
    this.before = performance.now();
    this.rested = 0;
    this.tick = requestAnimationFrame((now) => this.step(now));
    this.bar.refresh();
  }

  pause(): void {
    this.playing = false;
    cancelAnimationFrame(this.tick);
    this.bar.refresh();
  }

  /** Pauses until someone asks. */
  stop(): void {
    this.stopped = true;
    this.pause();
  }

  toggle(): void {
    if (this.playing) this.stop();
    else this.play();
  }

  seek(t: number): void {
    this.time = Math.min(Math.max(t, this.film.begin), this.film.end);
    this.traced = -Infinity;
    this.show();
  }

  /** To the next frame of the film, or the one before. */
  stepBy(frames: number): void {
    this.stop();
    const clip = this.film.clips.reduce((a, b) => (b.times.length > a.times.length ? b : a));
    const at = clip.frame(this.time), on = clip.times[at] === Math.fround(this.time);
    const next = at + frames + (frames < 0 && !on ? 1 : 0);
    this.seek(clip.times[Math.min(Math.max(next, 0), clip.times.length - 1)]);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.bar.refresh();
  }

  /** The next of the offered speeds. */
  faster(way: 1 | -1): void {
    const all = this.speeds(), later = all.filter((speed) => way * (speed - this.speed) > 1e-9 * this.speed);
    if (later.length > 0) this.setSpeed(way > 0 ? later[0] : later[later.length - 1]);
  }

  resetCamera(): void {
    this.scene?.resetCamera();
  }

  orbit(azimuth: number, elevation: number): void {
    this.scene?.orbit(azimuth, elevation);
  }

  zoom(factor: number): void {
    this.scene?.zoom(factor);
  }

  get threeDimensional(): boolean {
    return this.scene?.ok ?? false;
  }

  /** A picture of this moment (PNG). */
  snapshot(): string {
    return this.scene?.ok ? this.scene.snapshot() : (this.dials?.canvas.toDataURL("image/png") ?? "");
  }

  /** Seconds between frames. */
  get frameStep(): number {
    const { times } = this.film.clips[0];
    return times.length > 1 ? (times[times.length - 1] - times[0]) / (times.length - 1) : 0;
  }

  get digits(): number {
    return places(this.frameStep);
  }

  /** Such that a whole run takes so long. */
  get wholeSpeed(): number {
    return this.film.duration > 0 ? this.film.duration / WHOLE : 1;
  }

  private usualSpeed(): number {
    const { duration } = this.film;
    return duration >= OWN_SPEED[0] && duration <= OWN_SPEED[1] ? 1 : this.wholeSpeed;
  }

  private speeds(): number[] {
    return [...new Set([...SPEEDS, this.wholeSpeed])].sort((a, b) => a - b);
  }

  /** Scene or dials, and what is to be said below them. */
  private raise(): void {
    this.scene?.dispose();
    this.dials?.dispose();
    this.scene = this.dials = null;
    const { clips } = this.film;
    const seen = clips.filter((clip) => clip.visible);
    this.root.classList.remove("player-flat", "player-blind");
    this.root.classList.toggle("player-row", seen.length === 2 || seen.length === 3);
    if (seen.length > 0) {
      this.stage.style.setProperty("--views", `${seen.length}`);
      this.scene = new SceneView(this.stage, seen.map((clip) => clip.scene), seen.map((clip) => this.label(clip)), { embedded: true });
      this.scene.fit(this.film.bounds());
      if (!this.scene.ok) this.root.classList.add("player-blind");
    } else {
      this.root.classList.add("player-flat");
      this.dials = new Dials(this.stage, clips);
    }
    this.traced = -Infinity;
    this.writeNotes();
  }

  private label(clip: Clip): string {
    return this.film.clips.length > 1 ? clip.name : "";
  }

  private writeNotes(): void {
    const lines: (string | Node)[][] = [];
    if (this.film.note) lines.push([this.film.note]);
    for (const { name, last, ended } of this.film.clips) {
      if (ended) lines.push([`${this.film.clips.length > 1 ? `${name} ` : ""}stopped at ${seconds(last, this.digits)}: ${ended}`]);
    }
    if (this.scene?.ok) {
      const grid = `Grid spacing ${metres(this.scene.gridMesh)}.`;
      const hot = this.film.clips.some((clip) => clip.at(clip.times[0]).heat);
      lines.push(hot ? [grid, " Kinetic energy: low ", scale(), " high."] : [grid]);
    }
    this.notes.replaceChildren(...lines.map((line) => {
      const p = document.createElement("p");
      p.append(...line);
      return p;
    }));
  }

  private step(now: number): void {
    if (!this.playing) return;
    this.tick = requestAnimationFrame((next) => this.step(next));
    // After a pause of the browser the film goes on where it was; a frame may have begun before it was asked for.
    const passed = Math.min(Math.max((now - this.before) / 1000, 0), 0.1);
    this.before = now;
    if (this.time < this.film.end) {
      this.time = Math.min(this.time + passed * this.speed, this.film.end);
      this.rested = 0;
      return this.show();
    }
    this.rested += passed;
    if (!this.loop) return this.stop();
    if (this.rested > REST) this.seek(this.film.begin);
  }

  private show(): void {
    const seen = this.film.clips.filter((clip) => clip.visible);
    if (this.scene?.ok) {
      if (this.traced === -Infinity) this.scene.clearTraces();
      const step = this.speed / TRACE_RATE;
      const moments = Math.min(TRACE, Math.floor((this.time - Math.max(this.traced, this.film.begin)) / step));
      this.traced = this.time;
      seen.forEach((clip, k) => {
        for (let i = moments; i > 0; i--) this.scene?.trace(k, clip.at(this.time - i * step));
        this.scene?.update(k, clip.at(this.time));
        const over = clip.ended && this.time > clip.last ? `stopped at ${seconds(clip.last, this.digits)}` : "";
        if (this.film.clips.length > 1 || over) this.scene?.setLabel(k, this.label(clip), [clip.note, over].filter(Boolean).join(" · "));
      });
      this.scene.render();
    }
    this.dials?.show(this.time);
    this.figures.show(this.time);
    this.bar.refreshTime();
  }

  /** Starts when most of it is on the screen, and rests while it is not; not where less motion is wished. */
  private startWhenSeen(): void {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const observer = new IntersectionObserver(([entry]) => {
      const inSight = entry.intersectionRatio >= 0.35;
      if (inSight === this.inSight) return;
      this.inSight = inSight;
      if (!inSight) this.pause();
      else if (!this.stopped) this.play();
    }, { threshold: [0, 0.35] });
    observer.observe(this.stage);
  }
}

/** The colours of heat, from left to right. */
function scale(): HTMLElement {
  const strip = document.createElement("span");
  strip.className = "player-heat";
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const all = heatColours(dark ? "dark" : "light");
  const shade = (x: number) => Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));
  const stops = Array.from({ length: 9 }, (_, k) => `rgb(${[0, 1, 2].map((c) => shade(all[3 * Math.round((255 * k) / 8) + c])).join(" ")})`);
  strip.style.background = `linear-gradient(90deg, ${stops.join(", ")})`;
  return strip;
}

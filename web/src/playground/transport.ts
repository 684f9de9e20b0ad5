// Play, pause, step, speed, and the time, which can be taken back.
import { h, iconButton, setIcon } from "./dom";
import { clock, short } from "./number";
import type { Session } from "./session";

const SLOWEST = 1e-3;
const FASTEST = 1e3;

export class Transport {
  readonly element: HTMLElement;
  private readonly toggle: HTMLButtonElement;
  private readonly scrub: HTMLInputElement;
  private readonly time = h("output", { class: "time", title: "Time of the model" });
  private readonly speed: HTMLInputElement;
  private readonly speedText = h("output", { class: "speed-text" });
  private scrubbing = false;

  constructor(private readonly session: Session) {
    this.toggle = iconButton("play", "Play (space)", () => session.play(), { class: "icon-button play" });
    this.scrub = h("input", { type: "range", class: "slide scrub", min: 0, max: 1000, value: 0, "aria-label": "Time" });
    this.scrub.addEventListener("input", () => session.seek((Number(this.scrub.value) / 1000) * session.reached));
    this.scrub.addEventListener("pointerdown", () => (this.scrubbing = true));
    for (const name of ["pointerup", "pointercancel", "blur"]) this.scrub.addEventListener(name, () => (this.scrubbing = false));
    this.speed = h("input", { type: "range", class: "slide speed", min: -30, max: 30, value: 0, "aria-label": "Speed", title: "Speed: seconds of the model in one second" });
    this.speed.addEventListener("input", () => session.change({ speed: Number((10 ** (Number(this.speed.value) / 10)).toPrecision(2)) }));
    this.element = h(
      "div",
      { class: "transport", role: "group", "aria-label": "Motion" },
      iconButton("restart", "Restart (R)", () => session.restart()),
      iconButton("back", "One step back (,)", () => session.stepBy(-1)),
      this.toggle,
      iconButton("forward", "One step on (.)", () => session.stepBy(1)),
      this.scrub,
      this.time,
      h("span", { class: "speeds" }, this.speed, this.speedText),
    );
    session.events.on("playing", (on) => setIcon(this.toggle, on ? "pause" : "play", on ? "Pause (space)" : "Play (space)"));
    session.events.on("setup", () => this.showSpeed());
    session.events.on("model", () => this.showSpeed());
    session.events.on("slowed", () => this.showSpeed());
  }

  faster(factor: number): void {
    const speed = Math.min(FASTEST, Math.max(SLOWEST, this.session.speed * factor));
    this.session.change({ speed: Number(speed.toPrecision(2)) });
  }

  /** Once a frame. */
  draw(): void {
    const { time, reached, step } = this.session;
    const text = `${clock(time, step)} s`;
    if (this.time.textContent !== text) this.time.textContent = text;
    if (this.scrubbing) return;
    const part = String(!this.session.isBack && time > 0 ? 1000 : reached > 0 ? Math.round((1000 * time) / reached) : 0);
    if (this.scrub.value !== part) this.scrub.value = part;
    this.scrub.style.setProperty("--part", `${Number(part) / 10}%`);
    this.scrub.setAttribute("aria-valuetext", text);
  }

  private showSpeed(): void {
    const { speed } = this.session;
    this.speed.value = String(10 * Math.log10(speed));
    this.speed.style.setProperty("--part", `${(10 * Math.log10(speed) + 30) / 0.6}%`);
    this.speedText.textContent = `${short(speed, 2)}×`;
    this.speedText.title = this.session.slowed === speed ? "Slower than real time, so that the engine can keep up" : "";
    this.speed.setAttribute("aria-valuetext", `${short(speed, 2)} times real time`);
  }
}

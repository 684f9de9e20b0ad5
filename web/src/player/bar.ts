// Buttons, the slider of time, and keys.
import { rate, seconds } from "./format";
import type { Player } from "./player";

const ICONS = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  back: "M6 5h2v14H6zM20 5v14L9 12z",
  forward: "M16 5h2v14h-2zM4 5v14l11-7z",
  loop: "M12 5V1L7 6l5 5V7a5 5 0 0 1 5 5h2a7 7 0 0 0-7-7zm0 12a5 5 0 0 1-5-5H5a7 7 0 0 0 7 7v4l5-5-5-5z",
  camera: "M4 9V4h5v2H6v3zm11-5h5v5h-2V6h-3zM6 15v3h3v2H4v-5zm12 0h2v5h-5v-2h3zM12 9a3 3 0 1 1 0 6 3 3 0 0 1 0-6z",
  full: "M4 4h7v2H7.4l4 4L10 11.4l-4-4V11H4zM20 20h-7v-2h3.6l-4-4 1.4-1.4 4 4V13h2z",
  help: "M11 17h2v2h-2zm1-13a5 5 0 0 0-5 5h2a3 3 0 1 1 4.8 2.4C12.3 12.5 11 13.5 11 15.5h2c0-1.3.9-2 2-2.9A5 5 0 0 0 12 4z",
};

const KEYS: [string, string][] = [
  ["Space", "play or pause"],
  ["← →", "one frame back or on"],
  ["Home End", "first or last frame"],
  ["+ −", "faster or slower"],
  ["L", "loop"],
  ["F", "full screen"],
  ["Shift with arrows", "turn the camera"],
  ["Page up, Page down", "nearer or farther"],
  ["R or double click", "reset the camera"],
];

export class Bar {
  readonly root = document.createElement("div");
  private readonly playButton: HTMLButtonElement;
  private readonly loopButton: HTMLButtonElement;
  private readonly slider = document.createElement("input");
  private readonly clock = document.createElement("output");
  private readonly speed = document.createElement("select");
  private readonly pace = document.createElement("span");
  private readonly help = document.createElement("dl");
  private readonly helpButton: HTMLButtonElement;

  constructor(private readonly player: Player, speeds: number[]) {
    this.root.className = "player-bar";
    this.root.setAttribute("role", "group");
    this.root.setAttribute("aria-label", "Player");
    this.playButton = button("play", "Play", () => player.toggle());
    this.playButton.classList.add("player-main");
    this.loopButton = button("loop", "Loop", () => this.toggleLoop());
    this.slider.type = "range";
    this.slider.step = "any";
    this.slider.setAttribute("aria-label", "Time");
    this.slider.addEventListener("input", () => {
      player.stop();
      player.seek(this.slider.valueAsNumber);
    });
    this.clock.className = "player-clock";
    this.clock.setAttribute("aria-live", "off");
    this.speed.setAttribute("aria-label", "Speed");
    this.speed.addEventListener("change", () => player.setSpeed(Number(this.speed.value)));
    this.pace.className = "player-pace";
    this.helpButton = button("help", "Keys", () => this.toggleHelp());
    this.helpButton.setAttribute("aria-expanded", "false");
    this.help.className = "player-help";
    this.help.hidden = true;
    for (const [keys, what] of KEYS) {
      this.help.append(
        Object.assign(document.createElement("dt"), { textContent: keys }),
        Object.assign(document.createElement("dd"), { textContent: what }),
      );
    }
    const buttons = group(
      button("back", "One frame back", () => player.stepBy(-1)),
      this.playButton,
      button("forward", "One frame on", () => player.stepBy(1)),
    );
    const more = group(this.speed, this.loopButton, button("camera", "Reset the camera", () => player.resetCamera()));
    if (document.fullscreenEnabled) more.append(button("full", "Full screen", () => this.fullscreen()));
    more.append(this.helpButton);
    this.root.append(buttons, this.slider, this.clock, more, this.pace, this.help);
    this.setSpeeds(speeds);
  }

  setSpeeds(speeds: number[]): void {
    const whole = this.player.wholeSpeed;
    this.speed.replaceChildren(...speeds.map((speed) => {
      const text = speed === whole && speed !== 1 ? "whole run in 20 s" : `${speed}×`;
      return Object.assign(document.createElement("option"), { value: String(speed), textContent: text });
    }));
    this.slider.min = String(this.player.film.begin);
    this.slider.max = String(this.player.film.end);
    this.refresh();
  }

  refresh(): void {
    const { playing, speed, loop } = this.player;
    icon(this.playButton, playing ? "pause" : "play", playing ? "Pause" : "Play");
    this.loopButton.setAttribute("aria-pressed", String(loop));
    this.speed.value = String(speed);
    this.pace.textContent = speed === 1 ? "" : rate(speed);
    this.refreshTime();
  }

  refreshTime(): void {
    const { time, digits, film } = this.player;
    const text = `${time.toFixed(digits)} / ${seconds(film.end, digits)}`;
    if (this.clock.textContent === text) return;
    this.clock.textContent = text;
    this.slider.value = String(time);
    this.slider.setAttribute("aria-valuetext", `${seconds(time, digits)} of ${seconds(film.end, digits)}`);
  }

  /** Keys of the whole player, but for those that a list of choices needs itself. */
  key(event: KeyboardEvent): void {
    const { player } = this;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const target = event.target as HTMLElement;
    if (target instanceof HTMLSelectElement && event.key !== "Escape") return;
    const turn = 0.12;
    const actions: Record<string, () => void> = {
      " ": () => player.toggle(),
      Home: () => (player.stop(), player.seek(player.film.begin)),
      End: () => (player.stop(), player.seek(player.film.end)),
      "+": () => player.faster(1),
      "=": () => player.faster(1),
      "-": () => player.faster(-1),
      "−": () => player.faster(-1),
      r: () => player.resetCamera(),
      l: () => this.toggleLoop(),
      f: () => this.fullscreen(),
      "?": () => this.toggleHelp(),
      PageUp: () => player.zoom(1.15),
      PageDown: () => player.zoom(1 / 1.15),
      ArrowLeft: () => (event.shiftKey ? player.orbit(-turn, 0) : player.stepBy(-1)),
      ArrowRight: () => (event.shiftKey ? player.orbit(turn, 0) : player.stepBy(1)),
      ArrowUp: () => (event.shiftKey ? player.orbit(0, turn) : player.stepBy(10)),
      ArrowDown: () => (event.shiftKey ? player.orbit(0, -turn) : player.stepBy(-10)),
    };
    // A button is pressed by the space bar.
    if (event.key === " " && target instanceof HTMLButtonElement && target !== this.playButton) return;
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private toggleLoop(): void {
    this.player.loop = !this.player.loop;
    this.refresh();
  }

  private toggleHelp(): void {
    this.help.hidden = !this.help.hidden;
    this.helpButton.setAttribute("aria-expanded", String(!this.help.hidden));
  }

  private fullscreen(): void {
    if (!document.fullscreenEnabled) return;
    if (document.fullscreenElement) void document.exitFullscreen();
    else void this.player.root.requestFullscreen();
  }
}

function group(...children: HTMLElement[]): HTMLElement {
  const made = document.createElement("div");
  made.className = "player-group";
  made.append(...children);
  return made;
}

function button(name: keyof typeof ICONS, label: string, act: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  icon(made, name, label);
  made.addEventListener("click", act);
  return made;
}

function icon(button: HTMLButtonElement, name: keyof typeof ICONS, label: string): void {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  button.title = label;
  button.setAttribute("aria-label", label);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  button.replaceChildren(svg);
}

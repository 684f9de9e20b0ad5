// A slider for every number of the model and its start, by section.
import type { Knob, Loaded, Problem } from "../engine/types";
import { debounced, h } from "./dom";
import { unitText } from "./number";
import { rangeOf, type Range } from "./ranges";
import type { Session } from "./session";
import { covers, withoutSetting, withSetting } from "./setup";
import { Slider } from "./slider";

/** Sections are folded when there are more sliders than this. */
const MANY = 14;

interface Section {
  heading: string;
  knobs: Knob[];
}

export class Knobs {
  readonly element: HTMLElement;
  private readonly search: HTMLInputElement;
  private readonly sections = h("div", { class: "sections" });
  private readonly resetAll: HTMLButtonElement;
  private readonly sliders = new Map<string, Slider>();
  private readonly ranges = new Map<string, Range>();
  private knobs: Knob[] = [];
  private shape = "";

  constructor(private readonly session: Session) {
    const searched = debounced(() => this.render(), 80);
    this.search = h("input", { type: "search", placeholder: "Search numbers", "aria-label": "Search numbers", oninput: searched });
    const goOn = h("input", { type: "checkbox", id: "go-on" });
    goOn.addEventListener("change", () => session.change({ goOn: goOn.checked }));
    session.events.on("setup", (setup) => (goOn.checked = setup.goOn));
    this.resetAll = h("button", { type: "button", class: "quiet", onclick: () => session.change({ settings: [] }, "restart") }, "Reset all");
    this.element = h(
      "section",
      { class: "knobs", "aria-label": "Numbers of the model" },
      h("div", { class: "row" }, h("label", { class: "check", for: "go-on", title: "A change of the model takes effect where the motion is; changes of the start always begin anew" }, goOn, " go on from here when a number changes"), this.resetAll),
      this.search,
      this.sections,
    );
    session.events.on("model", (model) => this.show(model));
    session.events.on("problems", (problems) => this.faults(problems));
  }

  private show(model: Loaded): void {
    this.knobs = [...model.knobs.filter((knob) => knob.group !== "run"), ...startKnobs(model, this.session.start)];
    const shape = `${this.session.setup.scenario ?? this.session.setup.text}\n${this.knobs.map((knob) => knob.path).join()}`;
    this.resetAll.disabled = this.session.setup.settings.length === 0;
    if (shape !== this.shape) {
      this.shape = shape;
      this.ranges.clear();
      this.search.value = "";
      this.search.hidden = this.knobs.length <= MANY;
      this.render();
    } else {
      for (const knob of this.knobs) this.sliders.get(knob.path)?.show(knob.value, unitText(knob.unit), this.isChanged(knob));
    }
  }

  private render(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = this.knobs.filter((knob) => words.every((word) => `${knob.path} ${knob.label}`.toLowerCase().includes(word)));
    this.sliders.clear();
    const folded = shown.length > MANY;
    let unfolded = 0;
    const parts = sectionsOf(shown).map(({ heading, knobs }) => {
      const box = h("div", { class: "sliders" });
      const open = !folded || unfolded < MANY / 2;
      if (open) unfolded += knobs.length;
      const fill = () => box.childElementCount === 0 && box.append(...knobs.slice(0, 60).map((knob) => this.slider(knob)));
      if (open) fill();
      const details = h("details", { open }, h("summary", {}, heading, h("span", { class: "count" }, String(knobs.length))), box);
      details.addEventListener("toggle", fill);
      return details;
    });
    this.sections.replaceChildren(...(parts.length > 0 ? parts : [h("p", { class: "soft" }, "No number has these words.")]));
  }

  private slider(knob: Knob): HTMLElement {
    const { session } = this;
    const range = this.ranges.get(knob.path) ?? rangeOf(knob);
    this.ranges.set(knob.path, range);
    const apply = (settings: typeof session.setup.settings) => (knob.group === "start" ? session.change({ settings }, "restart") : session.changeModel({ settings }));
    const slider = new Slider({
      label: nameOf(knob),
      title: `${knob.label.replaceAll("`", "")} (${knob.path})`,
      unit: unitText(knob.unit),
      range,
      value: knob.value,
      changed: this.isChanged(knob),
      set: (value) => apply(withSetting(session.setup.settings, knob.path, value)),
      reset: () => apply(withoutSetting(session.setup.settings, knob.path)),
    });
    slider.element.dataset.path = knob.path;
    this.sliders.set(knob.path, slider);
    return slider.element;
  }

  private isChanged(knob: Knob): boolean {
    return this.session.setup.settings.some((setting) => covers(setting, knob.path));
  }

  private faults(problems: Problem[]): void {
    this.resetAll.disabled = this.session.setup.settings.length === 0;
    for (const [path, slider] of this.sliders) {
      const own = problems.find((problem) => problem.severity === "error" && (problem.path === path || problem.setting?.includes(`${path}=`)));
      slider.setChanged(this.session.setup.settings.some((setting) => covers(setting, path)));
      slider.setFault(own && `${own.message}${own.help ? `: ${own.help}` : ""}`);
    }
  }
}

/** Starts of coordinates that are given by a formula, or not at all. */
function startKnobs({ family, coordinates, velocities, hasConstraint, knobs }: Loaded, { q, v }: Session["start"]): Knob[] {
  if (family !== "lagrangian" || hasConstraint) return [];
  const missing = (path: string, value: number | undefined, high: number, label: string): Knob[] =>
    value === undefined || knobs.some((knob) => knob.path === path) ? [] : [{ path, label, value, unit: "", low: -Math.max(high, 2 * Math.abs(value)), high: Math.max(high, 2 * Math.abs(value)), above: false, whole: false, group: "start" }];
  return coordinates.names.flatMap((name, k) => [
    ...missing(`start.${name}`, q[k], coordinates.angles[k] ? Math.PI : 1, `\`${name}\` at the start`),
    ...(velocities.names[k] === `${name}'` ? missing(`velocity.${name}`, v[k], 5, `velocity of \`${name}\` at the start`) : []),
  ]);
}

/** `body.1.mass` is of the section `body upper`, if that is its name, and `parameters.m` of `parameters`. */
function sectionsOf(knobs: Knob[]): Section[] {
  const sections = new Map<string, Section>();
  for (const knob of knobs) {
    const named = /of (\w+) `([^`]+)`/.exec(knob.label);
    const { section: keys } = split(knob.path);
    const heading = (keys.length > 1 && named ? `${named[1]} ${named[2]}` : keys.join(" ")) || "model";
    const section = sections.get(heading) ?? { heading, knobs: [] };
    section.knobs.push(knob);
    sections.set(heading, section);
  }
  const rank = ({ heading }: Section) => ["parameters", "start", "velocity"].indexOf(heading);
  return [...sections.values()].sort((a, b) => (rank(a) >>> 0) - (rank(b) >>> 0));
}

const LISTS = new Set(["body", "potential", "constraint", "force", "motor", "spring", "cable", "winch", "actuator"]);

function split(path: string): { section: string[]; rest: string[] } {
  const keys = path.match(/"[^"]*"|[^.]+/g)?.map((key) => key.replaceAll('"', "")) ?? [path];
  const depth = keys.length > 2 && (LISTS.has(keys[0] ?? "") || /^\d+$/.test(keys[1] ?? "")) ? 2 : keys.length > 1 ? 1 : 0;
  return { section: keys.slice(0, depth), rest: keys.slice(depth) };
}

/** `direction x` for the first component of a vector. */
function nameOf(knob: Knob): string {
  const { section, rest } = split(knob.path);
  const last = rest.at(-1) ?? "";
  if (/^[1-3]$/.test(last) && rest.length === 1) return `${section.at(-1)} ${"xyz"[Number(last) - 1]}`;
  if (/^[1-3]$/.test(last)) return [...rest.slice(0, -1), "xyz"[Number(last) - 1]].join(" ").replaceAll("_", " ");
  return rest.join(" ").replaceAll("_", " ");
}

// One number: a slider, a field to type in, a way back.
import { h, iconButton } from "./dom";
import { exact, fitting } from "./number";
import { positionOf, type Range, valueAt } from "./ranges";

const FINE = 1000;

export interface SliderParts {
  label: string;
  /** All of what it is, for a tooltip. */
  title?: string;
  unit: string;
  range: Range;
  value: number;
  changed: boolean;
  /** A value of the slider, or a text that was typed. */
  set: (value: string) => void;
  reset?: () => void;
}

let numbers = 0;

export class Slider {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly field: HTMLInputElement;
  private readonly back: HTMLButtonElement;
  private readonly fault = h("p", { class: "fault", hidden: true });
  private range: Range;
  /** The value that was asked for last, until an answer comes. */
  private held = false;

  constructor(parts: SliderParts) {
    const id = `slider-${(numbers += 1)}`;
    this.range = parts.range;
    this.input = h("input", { type: "range", min: 0, max: FINE, step: parts.range.whole ? "any" : 1, "aria-label": parts.label, class: "slide" });
    this.field = h("input", { type: "text", id, class: "value", inputmode: "text", autocomplete: "off", spellcheck: "false", "aria-describedby": `${id}-fault` });
    this.fault.id = `${id}-fault`;
    this.back = iconButton("undo", `Reset ${parts.label}`, () => parts.reset?.(), { class: "icon-button small" });
    if (!parts.reset) this.back.hidden = true;
    this.input.addEventListener("input", () => {
      const value = valueAt(this.range, Number(this.input.value) / FINE);
      this.field.value = exact(value);
      this.describe(value, parts.unit);
      parts.set(exact(value));
    });
    this.input.addEventListener("pointerdown", () => (this.held = true));
    for (const name of ["pointerup", "pointercancel", "blur"]) this.input.addEventListener(name, () => (this.held = false));
    this.input.addEventListener("keydown", (event) => this.stepCount(event));
    this.field.addEventListener("change", () => this.field.value.trim() !== "" && parts.set(this.field.value.trim()));
    this.field.addEventListener("focus", () => this.field.select());
    this.element = h(
      "div",
      { class: "slider", title: parts.title },
      h("label", { for: id }, parts.label),
      this.back,
      h("span", { class: "typed" }, this.field, h("span", { class: "unit" }, parts.unit)),
      this.input,
      this.fault,
    );
    this.show(parts.value, parts.unit, parts.changed);
  }

  /** Shows a value, unless the reader holds the slider or is typing. */
  show(value: number, unit: string, changed: boolean): void {
    this.setChanged(changed);
    this.setFault(undefined);
    if (this.held) return;
    if (value < this.range.low || value > this.range.high) this.range = { ...this.range, low: Math.min(value, this.range.low), high: Math.max(value, this.range.high) };
    this.input.value = String(Math.round(FINE * positionOf(this.range, value)));
    if (document.activeElement !== this.field) this.field.value = fitting(value);
    this.describe(value, unit);
  }

  /** Whether there is something to reset. */
  setChanged(changed: boolean): void {
    this.element.classList.toggle("changed", changed);
    this.back.disabled = !changed;
  }

  setRange(range: Range): void {
    this.range = range;
  }

  /** What is wrong with it, if something is. */
  setFault(text: string | undefined): void {
    this.fault.hidden = text === undefined;
    this.fault.textContent = text ?? "";
    this.field.setAttribute("aria-invalid", String(text !== undefined));
  }

  private describe(value: number, unit: string): void {
    this.input.setAttribute("aria-valuetext", `${exact(value)} ${unit}`);
    this.input.style.setProperty("--part", `${positionOf(this.range, value) * 100}%`);
  }

  /** Arrow keys move a whole number by one. */
  private stepCount(event: KeyboardEvent): void {
    const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!this.range.whole || way === undefined) return;
    event.preventDefault();
    const next = Math.min(this.range.high, Math.max(this.range.low, Number(this.field.value) + way));
    this.input.value = String(FINE * positionOf(this.range, next));
    this.input.dispatchEvent(new Event("input"));
  }
}

// The methods of A and B, and their steps.
import type { Loaded, MethodInfo } from "../engine/types";
import { h } from "./dom";
import { rangeAround } from "./ranges";
import type { Session } from "./session";
import type { Side } from "./setup";
import { Slider } from "./slider";

export class Methods {
  readonly element: HTMLElement;
  private readonly selects: [HTMLSelectElement, HTMLSelectElement];
  private readonly abouts = [h("p", { class: "about" }), h("p", { class: "about" })] as const;
  private readonly step: Slider;
  private readonly ownStep: HTMLInputElement;
  private readonly ownStepRow: HTMLElement;
  private model: Loaded | undefined;
  private text = "";

  constructor(private readonly session: Session) {
    this.selects = [this.select(0), this.select(1)];
    this.step = new Slider({
      label: "step",
      title: "The time from one step to the next, of A and of B",
      unit: "s",
      range: rangeAround(0.01, 30),
      value: 0.01,
      changed: false,
      set: (value) => this.setStep(0, value),
      reset: () => this.setStep(0, ""),
    });
    this.step.element.classList.add("step");
    this.ownStep = h("input", { type: "text", id: "step-b", class: "value", placeholder: "as A", autocomplete: "off", onchange: () => this.setStep(1, this.ownStep.value) });
    this.ownStepRow = h("div", { class: "row own-step" }, h("label", { for: "step-b" }, "step of B"), h("span", { class: "typed" }, this.ownStep, h("span", { class: "unit" }, "s")));
    this.element = h(
      "section",
      { class: "methods", "aria-label": "Methods" },
      h("div", { class: "method a" }, h("label", { for: "method-0" }, "A"), this.selects[0], this.abouts[0]),
      h("div", { class: "method b" }, h("label", { for: "method-1" }, "B"), this.selects[1], this.abouts[1]),
      this.step.element,
      this.ownStepRow,
    );
    session.events.on("model", (model) => this.show(model));
  }

  private select(side: number): HTMLSelectElement {
    const select = h("select", { id: `method-${side}`, "aria-label": side === 0 ? "Method of A" : "Method of B", onchange: () => this.choose(side, select.value) });
    return select;
  }

  private choose(side: number, name: string): void {
    const [a = {}, b] = this.session.setup.sides;
    const own = name === this.model?.method ? undefined : name;
    const sides: Side[] = side === 0 ? [{ ...a, method: own }, ...(b ? [b] : [])] : name === "" ? [a] : [a, { ...b, method: name }];
    // Side by side from the same start: that is what comparing means.
    this.session.change({ sides }, side === 1 && !b ? "restart" : this.session.setup.goOn ? "go on" : "restart");
  }

  private setStep(side: number, typed: string): void {
    const scale = { ms: 1e-3, us: 1e-6, "µs": 1e-6, s: 1 }[/(ms|us|µs|s)?\s*$/.exec(typed)?.[1] ?? "s"] ?? 1;
    const value = Number.parseFloat(typed) * scale;
    if (typed.trim() !== "" && !(value > 0)) return this.step.setFault("A step is a time above zero, such as 0.01 or 5 ms.");
    const step = typed.trim() === "" || (side === 0 && value === this.model?.step) ? undefined : value;
    const sides = this.session.setup.sides.map((one, k) => (k === side ? { ...one, step } : one));
    this.session.changeModel({ sides });
  }

  private show(model: Loaded): void {
    const { sides, scenario, text } = this.session.setup;
    this.model = model;
    const [a = {}, b] = sides;
    this.options(this.selects[0], model, undefined, a.method ?? model.method);
    this.options(this.selects[1], model, "no second run", b ? (b.method ?? model.method) : "");
    [a.method ?? model.method, b && (b.method ?? model.method)].forEach((name, k) => {
      const method = model.methods.find((one) => one.name === name);
      const about = this.abouts[k];
      if (about) about.textContent = method ? describe(method) : "Choose a method to see both side by side, from the same start.";
    });
    if ((scenario ?? text) !== this.text) {
      this.text = scenario ?? text;
      this.step.setRange(rangeAround(model.step, 30));
    }
    this.step.show(a.step ?? model.step, "s", a.step !== undefined);
    this.ownStepRow.hidden = b === undefined;
    if (document.activeElement !== this.ownStep) this.ownStep.value = b?.step === undefined ? "" : String(b.step);
  }

  private options(select: HTMLSelectElement, model: Loaded, none: string | undefined, chosen: string): void {
    const option = (method: MethodInfo) =>
      h("option", { value: method.name, disabled: method.unsupported !== undefined, title: method.unsupported ?? method.summary }, method.name === model.method ? `${method.name} (model’s)` : method.name);
    const group = (label: string, own: MethodInfo[]) => own.length > 0 && h("optgroup", { label }, ...own.map(option));
    const can = model.methods.filter((method) => !method.unsupported);
    select.replaceChildren(
      ...[
        none !== undefined && h("option", { value: "" }, none),
        group("geometric: conserve the structure", can.filter((method) => method.geometric)),
        group("conventional, fixed step", can.filter((method) => !method.geometric && !method.adaptive)),
        group("conventional, adaptive", can.filter((method) => !method.geometric && method.adaptive)),
        group("not for this model", model.methods.filter((method) => method.unsupported)),
      ].filter((part) => part !== false),
    );
    select.value = chosen;
  }
}

function describe({ summary, order, geometric, adaptive }: MethodInfo): string {
  const kind = geometric ? "geometric" : adaptive ? "conventional, adaptive" : "conventional";
  return `${summary}; order ${order}, ${kind}`;
}

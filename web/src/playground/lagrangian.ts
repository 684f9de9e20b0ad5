// A Lagrangian typed by hand: what has a prime is a coordinate, the other names are parameters.
import type { Session } from "./session";
import { debounced, h } from "./dom";
import { type Example, EXAMPLES, namesIn, withLooks } from "./examples";
import { exact } from "./number";

export class LagrangianForm {
  readonly element: HTMLElement;
  private readonly formula: HTMLTextAreaElement;
  private readonly rows = h("div", { class: "names" });
  private readonly fault = h("p", { class: "fault", role: "status" });
  private readonly values = new Map<string, string>();
  private readonly step = field("0.01", "Step");
  private example: Example | undefined;

  constructor(
    private readonly session: Session,
    done: () => void,
  ) {
    const later = debounced(() => void this.make(), 350);
    this.formula = h("textarea", { id: "formula", rows: 3, spellcheck: "false", autocapitalize: "off", oninput: () => (this.names(), later()) });
    this.rows.addEventListener("input", later);
    this.step.addEventListener("input", later);
    const examples = EXAMPLES.map((example) => h("button", { type: "button", class: "chip", onclick: () => this.take(example) }, example.words));
    this.element = h(
      "section",
      { class: "lagrangian", "aria-label": "Type a Lagrangian" },
      h("p", { class: "soft" }, "Kinetic less potential energy. A prime makes a velocity: ", h("code", {}, "theta'"), " is that of ", h("code", {}, "theta"), ". Formulas know ", h("code", {}, "sin cos exp sqrt pi t"), " and more."),
      h("label", { for: "formula" }, "L ="),
      this.formula,
      this.fault,
      this.rows,
      h("label", { class: "pair" }, h("span", {}, "step"), this.step, h("span", { class: "unit" }, "s")),
      h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: () => void this.make() }, "Run it"), h("button", { type: "button", class: "quiet", onclick: done }, "See it as a model")),
      h("h3", {}, "Examples"),
      h("div", { class: "chips" }, ...examples),
    );
    session.events.on("problems", (problems) => {
      const first = problems.find((problem) => problem.severity === "error");
      this.fault.textContent = first && this.element.offsetParent ? `${first.message}${first.help ? `. ${first.help}` : ""}` : "";
    });
  }

  /** Something to begin with: the Lagrangian that is shown, if it is one, else an example, which does not run yet. */
  begin(): void {
    const { model, setup, step } = this.session;
    const shown = /^lagrangian\s*=\s*"([^"]*)"/m.exec(setup.text)?.[1];
    if (model && shown && !/^\[(definitions|forces?|constraints?|frame)/m.test(setup.text)) {
      const values = model.knobs.flatMap(({ path, value }): [string, string][] => {
        const [table, name = "", more] = path.split(".");
        if (more !== undefined) return [];
        return table === "parameters" || table === "start" ? [[name, exact(value)]] : table === "velocity" ? [[`${name}'`, exact(value)]] : [];
      });
      this.fill({ words: "", formula: shown, values: Object.fromEntries(values), step: exact(step) });
    } else if (this.formula.value === "" && EXAMPLES[1]) this.fill(EXAMPLES[1]);
  }

  private take(example: Example): void {
    this.fill(example);
    void this.make();
  }

  private fill(example: Example): void {
    const { formula, values, step } = example;
    this.example = example;
    this.formula.value = formula;
    this.values.clear();
    for (const [name, value] of Object.entries(values)) this.values.set(name, value);
    this.step.value = step ?? "0.01";
    this.names();
  }

  private found(): { coordinates: string[]; parameters: string[] } {
    const text = this.formula.value;
    const coordinates = [...new Set([...text.matchAll(/([A-Za-z_]\w*)'/g)].map((match) => match[1] ?? ""))];
    const parameters = namesIn(text).filter((name) => !coordinates.includes(name));
    return { coordinates, parameters };
  }

  /** A field for every name in the formula; what was typed before stays. */
  private names(): void {
    const { coordinates, parameters } = this.found();
    const row = (name: string, otherwise: string) => {
      const input = field(this.values.get(name) ?? otherwise, name);
      input.addEventListener("input", () => this.values.set(name, input.value));
      return h("label", { class: "pair" }, h("span", {}, name), input);
    };
    const group = (words: string, own: HTMLElement[]) => own.length > 0 && h("fieldset", {}, h("legend", {}, words), ...own);
    const parts = [
      group("Parameters", parameters.map((name) => row(name, "1"))),
      group("Start", coordinates.map((name) => row(name, "1"))),
      group("Velocities at the start", coordinates.map((name) => row(`${name}'`, "0"))),
    ];
    this.rows.replaceChildren(...parts.filter((part) => part !== false));
  }

  private async make(): Promise<void> {
    const { coordinates, parameters } = this.found();
    if (coordinates.length === 0) {
      this.fault.textContent = "There is no velocity in it: write x' for that of x.";
      return;
    }
    const pick = (names: string[], otherwise: string, prime = "") => Object.fromEntries(names.map((name) => [name, this.values.get(name + prime) || otherwise]));
    const plain = await this.session.engine.fromLagrangian({
      formula: this.formula.value.trim().replace(/\s+/g, " "),
      params: pick(parameters, "1"),
      start: pick(coordinates, "1"),
      velocity: pick(coordinates, "0", "'"),
      step: this.step.value || "0.01",
      duration: "100",
    });
    const text = this.example ? withLooks(plain, this.example, [...coordinates, ...parameters]) : plain;
    const { setup } = this.session;
    if (text === setup.text) return;
    const b = setup.sides[1] && { method: "rk4" };
    this.session.change({ text, scenario: undefined, settings: [], sides: b ? [{}, b] : [{}], nudge: false }, "restart");
  }
}

function field(value: string, label: string): HTMLInputElement {
  const input = h("input", { type: "text", class: "value", "aria-label": label, autocomplete: "off", spellcheck: "false" });
  input.value = value;
  return input;
}

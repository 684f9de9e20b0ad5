// The list of scenarios, in groups, with a search.
import type { Scenario } from "../engine/types";
import { h, icon, iconButton } from "./dom";

const GROUPS: { heading: string; has: (scenario: Scenario) => boolean }[] = [
  { heading: "As published: the numbers of the papers, misprints and all", has: ({ name }) => name.endsWith("-as-published") },
  { heading: "Pendula, magnets and molecules: bodies on spheres", has: ({ family }) => family === "spheres" },
  { heading: "Jointed bodies: linkages, cables, robots", has: ({ family }) => family === "tree" },
  { heading: "Lagrangians: typed formulas", has: ({ family }) => family === "lagrangian" },
];

export class Picker {
  readonly dialog: HTMLDialogElement;
  private readonly search: HTMLInputElement;
  private readonly list = h("div", { class: "picker-list" });
  private scenarios: Scenario[] = [];
  private current: string | undefined;

  constructor(private readonly choose: (scenario: Scenario) => void) {
    this.search = h("input", { type: "search", placeholder: "Search scenarios", "aria-label": "Search scenarios", oninput: () => this.render() });
    const head = h("header", {}, h("h2", { id: "picker-heading" }, "Scenarios"), this.search, iconButton("close", "Close", () => this.dialog.close()));
    this.dialog = h("dialog", { class: "picker", "aria-labelledby": "picker-heading" }, head, this.list);
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.list.querySelector<HTMLButtonElement>("button")?.click();
      if (event.key === "ArrowDown") this.list.querySelector<HTMLButtonElement>("button")?.focus();
    });
    this.list.addEventListener("keydown", (event) => this.move(event));
  }

  fill(scenarios: Scenario[]): void {
    this.scenarios = scenarios;
    this.render();
  }

  open(current: string | undefined): void {
    this.current = current;
    this.search.value = "";
    this.render();
    this.dialog.showModal();
    this.search.focus();
    this.list.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
  }

  private render(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.scenarios.filter(({ name, title, about }) => {
      const text = `${name} ${title} ${about}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const groups = new Map<string, Scenario[]>([1, 2, 3, 0].map((k) => [GROUPS[k]?.heading ?? "", []]));
    for (const scenario of found) groups.get(GROUPS.find(({ has }) => has(scenario))?.heading ?? "")?.push(scenario);
    const parts = [...groups].filter(([, own]) => own.length > 0).map(([heading, own]) => h("section", {}, h("h3", {}, heading), h("div", { class: "cards" }, ...own.map((one) => this.card(one)))));
    this.list.replaceChildren(...(parts.length > 0 ? parts : [h("p", { class: "soft" }, "No scenario has these words. Clear the search to see all of them.")]));
  }

  private card(scenario: Scenario): HTMLButtonElement {
    const open = () => {
      this.dialog.close();
      this.choose(scenario);
    };
    const current = scenario.name === this.current;
    return h(
      "button",
      { type: "button", class: "card", "data-scenario": scenario.name, "aria-current": current && "true", onclick: open },
      h("strong", {}, scenario.title),
      h("span", {}, scenario.about),
      current && icon("play"),
    );
  }

  private move(event: KeyboardEvent): void {
    const way = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const buttons = [...this.list.querySelectorAll<HTMLButtonElement>("button")];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    if (way === undefined || at < 0) return;
    event.preventDefault();
    if (at + way < 0) this.search.focus();
    else buttons[at + way]?.focus();
  }
}

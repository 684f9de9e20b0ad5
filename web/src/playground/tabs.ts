// The panels beside the picture, one at a time. On a wide page the plots have a place of their own.
import { h } from "./dom";

export interface Tab {
  name: string;
  words: string;
  content: HTMLElement;
  chosen?: () => void;
}

export class Tabs {
  readonly element: HTMLElement;
  private readonly buttons: HTMLButtonElement[];
  private readonly panels: HTMLElement[];
  private current = 0;

  constructor(private readonly tabs: Tab[]) {
    this.buttons = tabs.map(({ name, words }, k) =>
      h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, class: "tab", onclick: () => this.choose(k), onkeydown: (event: KeyboardEvent) => this.move(event) }, words),
    );
    this.panels = tabs.map(({ name, content }) => h("div", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, class: "panel" }, content));
    this.element = h("section", { class: "panels", "aria-label": "Model" }, h("div", { class: "tabs", role: "tablist" }, ...this.buttons), ...this.panels);
    this.select(0);
  }

  words(k: number): string {
    return this.tabs[k]?.words.toLowerCase() ?? "";
  }

  choose(which: number | string): void {
    const k = typeof which === "number" ? which : this.tabs.findIndex(({ name }) => name === which);
    if (this.buttons[k]?.hidden !== false) return;
    this.select(k);
    this.tabs[k]?.chosen?.();
  }

  /** Where the page is wide, the last tab is not one: its content goes to another place. */
  wide(query: MediaQueryList, place: HTMLElement | null): void {
    const last = this.tabs.length - 1;
    const [button, panel, content] = [this.buttons[last], this.panels[last], this.tabs[last]?.content];
    const change = () => {
      if (!button || !panel || !content || !place) return;
      button.hidden = query.matches;
      (query.matches ? place : panel).append(content);
      if (query.matches && this.current === last) this.select(0);
    };
    query.addEventListener("change", change);
    change();
  }

  private select(k: number): void {
    this.current = k;
    this.buttons.forEach((button, j) => {
      button.setAttribute("aria-selected", String(j === k));
      button.tabIndex = j === k ? 0 : -1;
    });
    this.panels.forEach((panel, j) => (panel.hidden = j !== k));
  }

  private move(event: KeyboardEvent): void {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (way === undefined) return;
    const shown = this.buttons.filter((button) => !button.hidden);
    const next = shown[(shown.indexOf(event.target as HTMLButtonElement) + way + shown.length) % shown.length];
    next?.click();
    next?.focus();
    event.preventDefault();
  }
}

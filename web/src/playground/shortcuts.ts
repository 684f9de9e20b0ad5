// Keys, and the page that lists them.
import { h, iconButton } from "./dom";

export interface Shortcut {
  keys: string[];
  shown: string;
  words: string;
  act: () => void;
}

/** Listens to keys wherever the reader is not typing. */
export function listen(shortcuts: Shortcut[]): void {
  addEventListener("keydown", (event) => {
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    const typing = target.isContentEditable || target.matches("textarea, select, input:not([type=range]):not([type=checkbox])");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === " " && target.matches("button, summary, input[type=checkbox]")) return;
    const found = shortcuts.find(({ keys }) => keys.includes(event.key));
    if (!found) return;
    event.preventDefault();
    found.act();
  });
}

export function helpDialog(shortcuts: Shortcut[]): HTMLDialogElement {
  const dialog = h("dialog", { class: "help", "aria-labelledby": "help-heading" });
  dialog.append(
    h("header", {}, h("h2", { id: "help-heading" }, "How to play"), iconButton("close", "Close", () => dialog.close())),
    h(
      "div",
      { class: "help-text" },
      h("p", {}, "The engine of holonomy runs in this page: the same code as the command, to the last bit. Nothing is sent anywhere."),
      h("ul", {}, ...HINTS.map((hint) => h("li", {}, hint))),
      h("h3", {}, "Keys"),
      h("dl", { class: "keys" }, ...shortcuts.flatMap(({ shown, words }) => [h("dt", {}, h("kbd", {}, shown)), h("dd", {}, words)])),
    ),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  return dialog;
}

const HINTS = [
  "Turn the view with the mouse or a finger; scroll or pinch to come closer; drag with the right button or two fingers to move aside.",
  "Take hold of a bob on a rod and drag it: that is where it starts.",
  "Choose a method for B to see both side by side from the same start, and make the step longer: conventional methods drift, geometric ones do not.",
  "Nudge starts 200 copies 1e-6 apart: in a chaotic motion they part exponentially.",
  "The address of the page holds all of it: copy the link to share what you see.",
];

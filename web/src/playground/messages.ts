// Sentences for the reader, at the foot of the page and to screen readers.
import { h, iconButton } from "./dom";

export class Messages {
  readonly element = h("div", { class: "messages", role: "status", "aria-live": "polite" });

  say(text: string, tone: "neutral" | "bad" = "neutral", act?: { words: string; run: () => void }): void {
    for (const old of this.element.querySelectorAll(".message")) if (old.firstChild?.textContent === text) old.remove();
    const message = h("div", { class: `message ${tone}` }, h("span", {}, text));
    if (act) {
      const run = () => {
        message.remove();
        act.run();
      };
      message.append(h("button", { type: "button", class: "quiet", onclick: run }, act.words));
    }
    message.append(iconButton("close", "Dismiss", () => message.remove()));
    this.element.append(message);
    while (this.element.children.length > 3) this.element.firstElementChild?.remove();
    setTimeout(() => message.remove(), tone === "bad" ? 15_000 : 4_000);
  }
}

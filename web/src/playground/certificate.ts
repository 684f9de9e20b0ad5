// What can be said of each run so far: promised and measured.
import type { Certificate } from "../engine/types";
import { h } from "./dom";
import { SIDES } from "./plots/card";
import type { Session } from "./session";

const PERIOD = 1500;
const SIGNS: Record<Certificate["tone"], string> = { good: "✓", doubtful: "!", bad: "✗", neutral: "–" };

export class Certificates {
  readonly element = h("section", { class: "certificates", "aria-label": "Certificate" });
  private due = 0;
  private asked = false;
  private at = "";

  constructor(private readonly session: Session) {
    session.events.on("model", () => (this.due = performance.now() + 400));
  }

  /** Once a frame. */
  draw(now: number): void {
    const { samples } = this.session;
    const key = samples.map((sample) => `${sample.k} ${sample.failed ?? ""}`).join();
    if (now < this.due || this.asked || key === this.at || samples.length === 0 || this.element.offsetParent === null) return;
    if (samples.every((sample) => sample.k === 0)) return;
    this.asked = true;
    this.at = key;
    const begin = now;
    void Promise.all(samples.map((_, run) => this.session.engine.certificate(run)))
      .then((all) => this.element.replaceChildren(...all.map((one, side) => card(one, side, this.session.methodOf(side)))))
      // The runs were taken away while it was asked for: there will be others.
      .catch(() => undefined)
      .finally(() => {
        this.asked = false;
        this.due = performance.now() + Math.max(PERIOD, 10 * (performance.now() - begin));
      });
  }
}

function card({ word, tone, answers, rows }: Certificate, side: number, method: string): HTMLElement {
  const verdict = (text: string, own: Certificate["tone"]) => h("span", { class: `verdict ${own}` }, h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[own]), ` ${text}`);
  const table = h(
    "table",
    {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "promised"), h("th", { scope: "col" }, "measured"))),
    h("tbody", {}, ...rows.map((row) => h("tr", {}, h("th", { scope: "row" }, row.what, h("span", { class: "soft" }, row.promised)), h("td", {}, verdict(row.verdict, row.tone), h("span", { class: "soft" }, row.measured))))),
  );
  const list = h("dl", { class: "answers" }, ...answers.flatMap((answer) => [h("dt", {}, verdict(answer.question, answer.tone)), h("dd", {}, answer.text.replaceAll("`", ""))]));
  const heading = h("h3", {}, h("span", { class: `badge ${side === 0 ? "a" : "b"}` }, SIDES[side] ?? ""), ` Certificate of ${method} `, verdict(word, tone));
  return h("article", { class: "certificate" }, heading, list, h("div", { class: "table" }, table));
}

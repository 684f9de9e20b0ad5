// What leaves the page: links, files, commands.
import { copyText, download, h, icon } from "./dom";
import { toFragment } from "./link";
import type { Session } from "./session";

export interface Sharing {
  session: Session;
  tell: (text: string) => void;
  picture: () => string | undefined;
  /** Shows or hides what a frame costs. */
  meter: () => void;
}

export async function copyLink({ session, tell }: Sharing): Promise<void> {
  const fragment = await toFragment(session.setup);
  const link = `${location.href.replace(/#.*$/, "")}#${fragment}`;
  tell((await copyText(link)) ? `Link copied, ${link.length} characters: it holds the whole model.` : link);
}

/** A button that opens a menu of what can be taken along. */
export function downloadMenu(sharing: Sharing): HTMLElement {
  const { session, tell } = sharing;
  const name = () => session.setup.scenario ?? "model";
  const text = (content: string, type: string) => new Blob([content], { type });
  const copyCommand = async (run: number) => {
    const { command } = await session.engine.describe(run);
    tell((await copyText(command)) ? `Copied: ${command}` : command);
  };
  const hash = async () => {
    const all = await Promise.all(session.samples.map(async (sample, run) => `${"AB"[run]} after ${sample.k} steps: ${await session.engine.hash(run)}`));
    tell(`State ${all.join("; ")}`);
  };
  const items: [string, string, () => void | Promise<void>][] = [
    ["Model", "TOML", async () => download(`${name()}.toml`, text((await session.engine.describe(0)).text, "application/toml"))],
    ["Samples", "CSV", () => download(`${name()}.csv`, text(csv(session), "text/csv"))],
    ["Picture", "PNG", () => picture(sharing, `${name()}.png`)],
    ["Command that repeats A", "copy", () => copyCommand(0)],
    ["Command that repeats B", "copy", () => copyCommand(1)],
    ["Hash of the state", "show", hash],
    ["Performance line", "show or hide", sharing.meter],
  ];
  const menu = h("div", { class: "menu", role: "menu" });
  const details = h("details", { class: "menu-button" }, h("summary", { class: "icon-button", "aria-label": "Download", title: "Download, command, hash" }, icon("download")), menu);
  menu.append(
    ...items.map(([words, kind, act]) => {
      const run = () => {
        details.open = false;
        void Promise.resolve(act()).catch((error: Error) => tell(error.message));
      };
      return h("button", { type: "button", role: "menuitem", "data-act": words, onclick: run }, words, h("span", { class: "soft" }, kind));
    }),
  );
  const second = menu.children[4] as HTMLElement;
  details.addEventListener("toggle", () => (second.hidden = session.samples.length < 2));
  document.addEventListener("click", (event) => !details.contains(event.target as Node) && (details.open = false));
  details.addEventListener("keydown", (event) => {
    const buttons = [...menu.querySelectorAll("button")].filter((button) => !button.hidden);
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === "Escape") details.open = false;
    else if (event.key === "ArrowDown") buttons[(at + 1) % buttons.length]?.focus();
    else if (event.key === "ArrowUp") buttons[(at - 1 + buttons.length) % buttons.length]?.focus();
    else return;
    event.preventDefault();
  });
  return details;
}

async function picture({ picture: take }: Sharing, name: string): Promise<void> {
  const url = take();
  if (!url) return;
  const bytes = Uint8Array.from(atob(url.slice(url.indexOf(",") + 1)), (letter) => letter.charCodeAt(0));
  download(name, new Blob([bytes], { type: "image/png" }));
}

/** What the plots are made of, both runs one after the other. */
export function csv(session: Session): string {
  const columns = session.tracks[0]?.columns ?? [];
  const quoted = (text: string) => (/[",\s]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [["run", "method", ...columns].map(quoted).join(",")];
  session.tracks.forEach((track, run) => {
    const front = `${"AB"[run]},${session.methodOf(run)},`;
    for (let row = 0; row < track.length; row += 1) lines.push(front + Array.from(track.row(row), (value) => (Number.isNaN(value) ? "" : String(value))).join(","));
  });
  return `${lines.join("\n")}\n`;
}

// Elements of the page, made in one expression.
type Child = Node | string | null | undefined | false;
type Value = string | number | boolean | null | undefined | EventListener | ((event: never) => void);

/** An element: `on…` are listeners, `true` is an empty attribute, and what is `false` or `null` is left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => Boolean(child)));
  return element;
}

const PATHS = {
  play: "M8 5.5v13l10.5-6.5z",
  pause: "M7 5.5h3.6v13H7zM13.4 5.5H17v13h-3.6z",
  restart: "M12 5a7 7 0 1 1-6.6 4.7l1.9.7A5 5 0 1 0 12 7v3L7.2 6 12 2z",
  forward: "M6 6v12l8-6zM15.5 6H18v12h-2.5z",
  back: "M18 6v12l-8-6zM6 6h2.5v12H6z",
  share: "M17 15.5a2.8 2.8 0 0 0-2 .9l-5.7-3.2a3 3 0 0 0 0-2.3L15 7.7a2.9 2.9 0 1 0-.8-1.7L8.4 9.2a2.9 2.9 0 1 0 0 5.7l5.8 3.2A2.9 2.9 0 1 0 17 15.5z",
  download: "M11 4h2v8l3-3 1.4 1.4L12 15.9l-5.4-5.5L8 9l3 3zM5 18h14v2H5z",
  sun: "M12 7.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM11 2h2v3h-2zM11 19h2v3h-2zM2 11h3v2H2zM19 11h3v2h-3zM4.2 5.6l1.4-1.4 2.1 2.1-1.4 1.4zM16.3 17.7l1.4-1.4 2.1 2.1-1.4 1.4zM4.2 18.4l2.1-2.1 1.4 1.4-2.1 2.1zM16.3 6.3l2.1-2.1 1.4 1.4-2.1 2.1z",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
  close: "M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6L6.4 19 5 17.6l5.6-5.6L5 6.4z",
  list: "M4 6h16v2H4zM4 11h16v2H4zM4 16h16v2H4z",
  help: "M11 17h2v2h-2zM12 4a5 5 0 0 1 5 5c0 2.6-3 3.3-3.9 5.4-.1.3-.1.6-.1.9h-2c0-3.7 4-4.2 4-6.3a3 3 0 0 0-6 0H7a5 5 0 0 1 5-5z",
  undo: "M9 5v3.5h5a5.5 5.5 0 0 1 0 11H8v-2h6a3.5 3.5 0 0 0 0-7H9V14L4 9.5z",
  camera: "M4 8h3l1.5-2.5h7L17 8h3v11H4zM12 10a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z",
} as const;
export type IconName = keyof typeof PATHS;

/** A sign of 20 × 20, in the colour of the text. */
export function icon(name: IconName): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** A button with a sign, which says in words what it does. */
export function iconButton(name: IconName, words: string, act: () => void, attributes: Record<string, Value> = {}): HTMLButtonElement {
  return h("button", { type: "button", class: "icon-button", "aria-label": words, title: words, onclick: act, ...attributes }, icon(name));
}

/** Replaces the sign of a button, and its words. */
export function setIcon(button: HTMLButtonElement, name: IconName, words: string): void {
  button.replaceChildren(icon(name));
  button.setAttribute("aria-label", words);
  button.title = words;
}

/** Calls of the result, however many, become one call of `act` after `wait` ms of rest. */
export function debounced(act: () => void, wait: number): () => void {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, wait) as unknown as number;
  };
}

/** Hands a file to the reader. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Puts text on the clipboard; from a file, where the clipboard may be closed, by a selection. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h("textarea", { class: "offscreen" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

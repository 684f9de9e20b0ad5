// Light or dark: as the system says, until the reader says otherwise.
import { iconButton, setIcon } from "./dom";

export type Theme = "light" | "dark";
const KEY = "holonomy-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners: ((theme: Theme) => void)[] = [];

export function theme(): Theme {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

export function onTheme(listener: (theme: Theme) => void): void {
  listeners.push(listener);
}

/** Whether the reader wants less to move by itself. */
export const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The value of a variable of the style sheet. */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function themeButton(): HTMLButtonElement {
  const button = iconButton("moon", "", () => {
    const next = theme() === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    store(next);
    changed();
  });
  const changed = () => {
    const now = theme();
    setIcon(button, now === "dark" ? "sun" : "moon", now === "dark" ? "Light theme" : "Dark theme");
    for (const listener of listeners) listener(now);
  };
  const follow = () => {
    document.documentElement.dataset.theme = recall() ?? (system.matches ? "dark" : "light");
    changed();
  };
  system.addEventListener("change", follow);
  follow();
  return button;
}

// Pages from disk may have no storage.
function store(value: Theme): void {
  try {
    localStorage.setItem(KEY, value);
  } catch {
    // Then it is chosen again next time.
  }
}

function recall(): Theme | undefined {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : undefined;
  } catch {
    return undefined;
  }
}

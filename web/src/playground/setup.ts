// What the page shows, as data: all that a link holds.
import type { Setting } from "../engine/types";

/** One of the runs that are shown side by side: by a method and a step of its own, if said. */
export interface Side {
  method?: string;
  step?: number;
}

export interface Setup {
  /** The scenario whose text it is, unchanged. */
  scenario?: string;
  /** The model as it is written. */
  text: string;
  /** What sliders changed in it, each path once. */
  settings: Setting[];
  /** A, and B if there is a second one. */
  sides: Side[];
  /** Seconds of the model in a second of the reader; chosen by the model if not said. */
  speed?: number;
  /** Whether the motion goes on from where it is when a number of the model changes. */
  goOn: boolean;
  /** Whether a swarm of copies is shown. */
  nudge: boolean;
}

/** The settings with one more, which replaces those of the same path and of what is in it. */
export function withSetting(settings: Setting[], path: string, value: string): Setting[] {
  return [...settings.filter((setting) => !covers({ path, value }, setting.path)), { path, value }];
}

/** Whether a setting changes what is at a path: that itself, or a list or table that it is in. */
export function covers(setting: Setting, path: string): boolean {
  return setting.path === path || path.startsWith(`${setting.path}.`);
}

/** The settings without all that changes what is at a path. */
export function withoutSetting(settings: Setting[], path: string): Setting[] {
  return settings.filter((setting) => !covers(setting, path));
}

/** Both as one: what `b` sets goes before. */
export function withSettings(a: Setting[], b: Setting[]): Setting[] {
  return b.reduce((all, { path, value }) => withSetting(all, path, value), a);
}

// What to try first: a click each.
import type { Setup } from "./setup";

export interface Tour {
  words: string;
  about: string;
  scenario: string;
  setup: Partial<Setup>;
}

export const TOURS: Tour[] = [
  {
    words: "RK4 loses its energy",
    about: "A pendulum by a geometric method and by Runge–Kutta, side by side: drag the step and watch",
    scenario: "spherical-pendulum",
    setup: { sides: [{ step: 0.2 }, { method: "rk4" }], speed: 2 },
  },
  {
    words: "Chaos in 200 copies",
    about: "A double pendulum, and 200 copies of it that start 1e-6 apart",
    scenario: "double-plane-pendulum",
    setup: { nudge: true },
  },
  { words: "642 molecules", about: "A crystal on a sphere melts where two whirls stir it", scenario: "molecules-on-a-sphere", setup: {} },
  {
    words: "Order and chaos in a section",
    about: "A star in the field of Hénon and Heiles: its Poincaré section fills up",
    scenario: "henon-heiles",
    setup: { speed: 50 },
  },
  { words: "A scissor lift", about: "Closed loops that stay closed", scenario: "scissor-lift", setup: {} },
  { words: "A cable", about: "A skipping rope between two points", scenario: "skipping-rope", setup: {} },
];

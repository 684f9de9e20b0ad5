// Colours. Those of bodies differ without colour vision (after Okabe and Ito); heat is cividis (Nuñez, Anderton and
// Renslow 2018), whose lightness alone tells the order.
export type ThemeName = "light" | "dark";

export interface Theme {
  background: string;
  grid: string;
  gridCentre: string;
  /** Bodies, one after the other. */
  bodies: string[];
  /** What stands still: pivots, fixed joints. */
  fixed: string;
  joint: string;
  driven: string;
  cable: string;
  spring: string;
  plane: string;
  /** The sphere that bodies move on, and its graticule. */
  sphere: string;
  graticule: string;
  edge: string;
  swarm: string;
}

export const THEMES: Record<ThemeName, Theme> = {
  light: {
    background: "#f6f7f9",
    grid: "#d3d9e0",
    gridCentre: "#c6ccd4",
    bodies: ["#0072b2", "#d55e00", "#009e73", "#b9579b", "#c28a00", "#3a9bd1", "#5b5f97", "#7f6a00"],
    fixed: "#3b424c",
    joint: "#6b7684",
    driven: "#c2410c",
    cable: "#4b5563",
    spring: "#6d5bd0",
    plane: "#7c8ba1",
    sphere: "#c9d3df",
    graticule: "#9fadbd",
    edge: "#4b5563",
    swarm: "#b91c6b",
  },
  dark: {
    background: "#14181d",
    grid: "#2c353f",
    gridCentre: "#3a444f",
    bodies: ["#56b4e9", "#f08a3c", "#2fcf9f", "#e08cc2", "#f0c34a", "#4c8fe0", "#a5a8e6", "#d9c94f"],
    fixed: "#aab4c0",
    joint: "#8793a1",
    driven: "#ff9a62",
    cable: "#b8c2cd",
    spring: "#b3a6ff",
    plane: "#8fa1b8",
    sphere: "#222b35",
    graticule: "#54657a",
    edge: "#c3ccd6",
    swarm: "#ff7ac0",
  },
};

/** Points of cividis, evenly spaced. */
const CIVIDIS = [
  [0, 32, 76], [0, 42, 102], [31, 54, 109], [60, 66, 108], [82, 79, 109], [102, 92, 111], [121, 105, 114], [140, 118, 118],
  [161, 132, 118], [182, 147, 113], [203, 163, 104], [225, 180, 91], [248, 199, 72], [255, 218, 60], [255, 234, 70],
];

/** 256 colours as red, green, blue in 0 … 1, linear light: what the renderer takes. On dark ground it begins lighter. */
export function heatColours(theme: ThemeName): Float32Array {
  const all = new Float32Array(3 * 256);
  const first = theme === "dark" ? 0.3 : 0;
  for (let k = 0; k < 256; k++) {
    const at = (first + (1 - first) * (k / 255)) * (CIVIDIS.length - 1);
    const i = Math.min(Math.floor(at), CIVIDIS.length - 2);
    for (let c = 0; c < 3; c++) {
      const shade = (CIVIDIS[i][c] * (i + 1 - at) + CIVIDIS[i + 1][c] * (at - i)) / 255;
      all[3 * k + c] = shade <= 0.04045 ? shade / 12.92 : ((shade + 0.055) / 1.055) ** 2.4;
    }
  }
  return all;
}

/** Follows the system's choice, and says when it changes. */
export function systemTheme(changed: (theme: ThemeName) => void): { theme: ThemeName; stop(): void } {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const now = (): ThemeName => (dark.matches ? "dark" : "light");
  const listen = () => changed(now());
  dark.addEventListener("change", listen);
  return { theme: now(), stop: () => dark.removeEventListener("change", listen) };
}

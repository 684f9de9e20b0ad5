// The player of reports: replaces `#player` of a page that has a film in `#film`.
import type { FilmText } from "./film";
import { Player } from "./player";

declare global {
  interface Window {
    /** For pages that drive it, such as one that follows a run, and for tests. */
    holonomyPlayer?: Player;
  }
}

function start(): void {
  const root = document.getElementById("player"), film = document.getElementById("film");
  if (!root || !film?.textContent) return;
  try {
    const text = JSON.parse(film.textContent) as FilmText;
    if (text.clips.length > 0) window.holonomyPlayer = new Player(root, text);
  } catch (error) {
    // The still picture stays.
    root.append(Object.assign(document.createElement("p"), { textContent: `The motion cannot be shown: ${error}` }));
  }
}

// A page that follows a run has a longer film from time to time.
document.addEventListener("holonomy:film", (event) => window.holonomyPlayer?.setFilm((event as CustomEvent<FilmText>).detail));

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();

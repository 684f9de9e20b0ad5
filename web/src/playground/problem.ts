// A problem of a model as text, as the command prints it: what, where with the place underlined, what to do.
import type { Problem } from "../engine/types";

export function problemText({ severity, message, help, place, setting }: Problem, text: string): string {
  const lines = [`${severity}: ${message}`];
  const line = place && text.split("\n")[place.line - 1];
  const margin = " ".repeat(String(place?.line ?? "").length);
  if (setting !== undefined) lines.push(`--> ${setting}`);
  if (place && line !== undefined) {
    const end = place.endLine === place.line ? place.endColumn : line.length + 1;
    const marks = "^".repeat(Math.max(1, end - place.column));
    lines.push(`${margin}--> line ${place.line}, column ${place.column}`, `${margin} |`, `${place.line} | ${line}`, `${margin} | ${" ".repeat(place.column - 1)}${marks}`);
  }
  if (help !== undefined) lines.push(`${margin} = help: ${help}`);
  return lines.join("\n");
}

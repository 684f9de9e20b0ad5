// The model as text. What is wrong with it is underlined while it is typed, and said below in the words of the command.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { EditorState, StateEffect, StateField, Transaction } from "@codemirror/state";
import { Decoration, type DecorationSet, drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Problem } from "../engine/types";
import { debounced, h } from "./dom";
import { problemText } from "./problem";
import type { Session } from "./session";

const setProblems = StateEffect.define<Problem[]>();

/** The underlined places. */
const underlines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let now = marks.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setProblems)) now = Decoration.set(effect.value.flatMap((problem) => underline(transaction.state, problem)), true);
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function underline(state: EditorState, { place, message, severity }: Problem) {
  if (!place) return [];
  const at = (line: number, column: number) => {
    const found = state.doc.line(Math.min(Math.max(1, line), state.doc.lines));
    return Math.min(found.from + Math.max(0, column - 1), found.to);
  };
  const from = at(place.line, place.column);
  const to = at(place.endLine, place.endColumn);
  const line = state.doc.lineAt(from);
  const mark = Decoration.mark({ class: `wrong ${severity}`, attributes: { title: message } });
  const whole = Decoration.line({ class: `wrong-line ${severity}` }).range(line.from);
  // An empty place takes the character before it.
  return to > from ? [whole, mark.range(from, to)] : line.length > 0 ? [whole, mark.range(Math.max(line.from, from - 1), Math.max(line.from + 1, from))] : [whole];
}

const highlight = HighlightStyle.define([
  { tag: tags.comment, color: "var(--soft)" },
  { tag: tags.string, color: "var(--text-good)" },
  { tag: [tags.number, tags.bool, tags.atom], color: "var(--text-b)" },
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: "var(--text-a)" },
  { tag: [tags.bracket, tags.keyword], fontWeight: "600" },
]);

export class Editor {
  readonly element: HTMLElement;
  private readonly view: EditorView;
  private readonly problems = h("div", { class: "problems", role: "status", "aria-live": "polite" });
  private readonly note = h("p", { class: "note", hidden: true });
  /** Whether the reader is the one who changes the text. */
  private quiet = false;

  constructor(private readonly session: Session) {
    const typed = debounced(() => {
      const text = this.view.state.doc.toString();
      if (text !== session.setup.text) session.change({ text, scenario: undefined }, "restart");
    }, 220);
    this.view = new EditorView({
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        StreamLanguage.define(toml),
        syntaxHighlighting(highlight),
        underlines,
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": "Model in TOML", spellcheck: "false" }),
        EditorView.updateListener.of((update) => update.docChanged && !this.quiet && typed()),
      ],
    });
    const write = h("button", { type: "button", class: "quiet", onclick: () => this.write() }, "write them into the text");
    this.note.append(h("span", {}), " ", write);
    this.element = h("section", { class: "editor", "aria-label": "Model as text" }, this.note, this.view.dom, this.problems);
    session.events.on("setup", (setup) => this.show(setup.text, setup.settings.length));
    session.events.on("problems", (problems) => this.tell(problems));
  }

  /** After it was hidden. */
  measure(): void {
    this.view.requestMeasure();
  }

  private show(text: string, changed: number): void {
    this.note.hidden = changed === 0;
    if (this.note.firstChild) this.note.firstChild.textContent = `Sliders have set ${changed === 1 ? "a number" : `${changed} numbers`} on top of this text:`;
    if (text === this.view.state.doc.toString() || this.view.hasFocus) return;
    this.quiet = true;
    // Not to be undone: before it there was another model.
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, annotations: Transaction.addToHistory.of(false) });
    this.quiet = false;
  }

  /** What sliders changed becomes text: the model as the engine writes it back. */
  private write(): void {
    const { model } = this.session;
    if (!model) return;
    this.view.contentDOM.blur();
    this.session.change({ text: model.text, scenario: undefined, settings: [] }, "go on");
  }

  private tell(problems: Problem[]): void {
    this.view.dispatch({ effects: setProblems.of(problems) });
    this.problems.replaceChildren(...problems.map((problem) => this.message(problem)));
  }

  private message(problem: Problem): HTMLElement {
    const { place } = problem;
    const go = () => {
      if (!place) return;
      const line = this.view.state.doc.line(Math.min(place.line, this.view.state.doc.lines));
      this.view.dispatch({ selection: { anchor: Math.min(line.from + place.column - 1, line.to) }, scrollIntoView: true });
      this.view.focus();
    };
    return h("button", { type: "button", class: `problem ${problem.severity}`, onclick: go }, h("pre", {}, problemText(problem, this.view.state.doc.toString())));
  }
}

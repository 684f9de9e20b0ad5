// The playground: puts its parts together, and has the one loop that draws.
import uplotStyle from "uplot/dist/uPlot.min.css";
import { page } from "../engine/begin";
import { createEngine } from "../engine/client";
import type { Engine, Scenario } from "../engine/types";
import { Certificates } from "./certificate";
import { debounced, h, icon, iconButton } from "./dom";
import { Editor } from "./editor";
import { Knobs } from "./knobs";
import { LagrangianForm } from "./lagrangian";
import { fromFragment, toFragment } from "./link";
import { Messages } from "./messages";
import { Meter } from "./meter";
import { Methods } from "./methods";
import { Picker } from "./picker";
import { Board } from "./plots/board";
import { Session } from "./session";
import type { Setup } from "./setup";
import { copyLink, downloadMenu, type Sharing } from "./share";
import { helpDialog, listen, type Shortcut } from "./shortcuts";
import { Stage } from "./stage";
import style from "./style.css";
import { Tabs } from "./tabs";
import { onTheme, reducedMotion, themeButton } from "./theme";
import { TOURS, type Tour } from "./tours";
import { Transport } from "./transport";

document.head.append(h("style", {}, uplotStyle + style));
const messages = new Messages();
const engine = createEngine();
// Where the machine is busy with other things, not for long.
if (engine) void Promise.race([page.begun?.awake, new Promise((resolve) => setTimeout(resolve, 250))]).then(() => build(engine));
else document.getElementById("app")?.replaceChildren(h("p", { class: "failed", role: "alert" }, "This page was built without the engine."));

function build(engine: Engine): void {
  const listed = engine.scenarios();
  const session = new Session(engine);
  const tell = (text: string, tone: "neutral" | "bad" = "neutral") => messages.say(text, tone);
  const transport = new Transport(session);
  const stage = new Stage(session, tell);
  const certificates = new Certificates(session);
  const board = new Board(session, certificates.element);
  const meter = new Meter();
  const sharing: Sharing = { session, tell, picture: () => stage.picture(), meter: () => meter.toggle() };
  const editor = new Editor(session);
  const form = new LagrangianForm(session, () => tabs.choose("text"));
  const problem = h("p", { class: "problem-line", role: "status", hidden: true });
  const tabs = new Tabs([
    { name: "sliders", words: "Sliders", content: h("div", { class: "stack" }, new Methods(session).element, new Knobs(session).element) },
    { name: "text", words: "Model", content: editor.element, chosen: () => editor.measure() },
    { name: "lagrangian", words: "Lagrangian", content: form.element, chosen: () => form.begin() },
    { name: "plots", words: "Plots", content: board.element, chosen: () => board.touch() },
  ]);
  let scenarios: Scenario[] = [];
  const picker = new Picker((scenario) => show({ scenario: scenario.name, text: scenario.text }));
  const title = h("button", { type: "button", class: "title", onclick: () => picker.open(session.setup.scenario) }, icon("list"), h("span", {}, "Scenarios"));
  title.setAttribute("aria-label", "Scenarios");
  // Its line is there from the start, so that nothing moves when it is known.
  const about = h("p", { class: "about-model" }, "\u00a0");

  /** Another model: what was set for the old one goes. */
  const show = (setup: Partial<Setup> & { text: string }) => {
    session.change({ scenario: undefined, settings: [], sides: [{}], speed: undefined, nudge: false, ...setup }, "restart");
    if (!reducedMotion) session.play(true);
    // Not only with the next frame.
    session.tick(performance.now());
  };
  const tour = ({ scenario, setup }: Tour) => {
    const found = scenarios.find(({ name }) => name === scenario);
    if (found) show({ ...setup, scenario, text: found.text });
  };
  const nudge = () => void session.nudge(!session.setup.nudge);
  const nudgeButton = h("button", { type: "button", class: "chip nudge", "aria-pressed": "false", title: "200 copies that start 1e-6 apart (N)", onclick: nudge }, "Nudge");
  const compare = () => {
    const [a = {}, b] = session.setup.sides;
    session.change({ sides: b ? [a] : [a, { method: session.methodOf(0) === "rk4" ? session.model?.method : "rk4" }] }, "restart");
  };
  const compareButton = h("button", { type: "button", class: "chip compare", "aria-pressed": "false", title: "A second run beside it, by another method (B)", onclick: compare }, "A | B");
  const shortcuts: Shortcut[] = [
    { keys: [" ", "k"], shown: "space", words: "play, pause", act: () => session.play() },
    { keys: ["r"], shown: "R", words: "restart", act: () => session.restart() },
    { keys: ["."], shown: ".", words: "one step on", act: () => session.stepBy(1) },
    { keys: [","], shown: ",", words: "one step back", act: () => session.stepBy(-1) },
    { keys: ["]", "+"], shown: "]", words: "faster", act: () => transport.faster(1.5) },
    { keys: ["[", "-"], shown: "[", words: "slower", act: () => transport.faster(1 / 1.5) },
    { keys: ["b"], shown: "B", words: "a second run beside it, or not", act: compare },
    { keys: ["n"], shown: "N", words: "nudge: 200 copies", act: nudge },
    { keys: ["c"], shown: "C", words: "camera back to where it was", act: () => stage.resetCamera() },
    { keys: ["/", "s"], shown: "/", words: "scenarios", act: () => picker.open(session.setup.scenario) },
    { keys: ["l"], shown: "L", words: "copy a link to what is shown", act: () => void copyLink(sharing) },
    { keys: ["p"], shown: "P", words: "performance line", act: () => meter.toggle() },
    ...["1", "2", "3", "4"].map((key, k): Shortcut => ({ keys: [key], shown: key, words: tabs.words(k), act: () => tabs.choose(k) })),
    { keys: ["?"], shown: "?", words: "this page", act: () => help.showModal() },
  ];
  const help = helpDialog(shortcuts);
  listen(shortcuts);

  const header = h(
    "header",
    { class: "top" },
    h("h1", {}, "holonomy"),
    title,
    h("nav", { class: "tours", "aria-label": "Try" }, ...TOURS.map((one) => h("button", { type: "button", class: "chip", title: one.about, "data-tour": one.scenario, onclick: () => tour(one) }, one.words))),
    h("span", { class: "tools" }, iconButton("share", "Copy a link to what is shown (L)", () => void copyLink(sharing), { "data-act": "share" }), downloadMenu(sharing), themeButton(), iconButton("help", "How to play (?)", () => help.showModal())),
  );
  const tools = h("div", { class: "stage-tools" }, compareButton, nudgeButton, iconButton("camera", "Camera back to where it was (C)", () => stage.resetCamera()));
  stage.element.append(tools);
  const middle = h("main", { class: "middle" }, about, stage.element, problem, transport.element, meter.element);
  const app = document.getElementById("app");
  app?.replaceChildren(header, h("div", { class: "work" }, tabs.element, middle, h("aside", { class: "side-plots", "aria-label": "Plots" })), messages.element, picker.dialog, help);
  setTimeout(() => void stage.warm());
  tabs.wide(matchMedia("(min-width: 760px)"), document.querySelector(".side-plots"));

  // First it moves; what takes time and is not the motion comes after.
  let [moved, settled] = [false, false];
  const settle = () => {
    if (settled) return;
    settled = true;
    picker.fill(scenarios);
    board.element.hidden = false;
  };
  session.events.on("samples", (samples) => {
    if (moved || (session.playing && !samples.some(({ k }) => k > 0))) return;
    moved = true;
    requestAnimationFrame(() => {
      performance.mark("first motion");
      requestAnimationFrame(settle);
    });
  });
  session.events.on("message", ({ text, tone }) => tell(text, tone));
  session.events.on("setup", (setup) => {
    nudgeButton.setAttribute("aria-pressed", String(setup.nudge));
    compareButton.setAttribute("aria-pressed", String(setup.sides.length > 1));
    if (stage.element.dataset.sides !== String(setup.sides.length)) stage.element.dataset.sides = String(setup.sides.length);
    remember();
  });
  board.element.hidden = true;
  session.events.on("model", (model) => {
    title.lastElementChild!.textContent = model.title;
    document.title = `${model.title} – holonomy playground`;
    about.textContent = scenarios.find(({ name }) => name === session.setup.scenario)?.about ?? "";
    about.title = about.textContent;
  });
  session.events.on("problems", (problems) => {
    const first = problems.find(({ severity }) => severity === "error");
    if (first) settle();
    problem.hidden = first === undefined;
    if (first && !session.model) tabs.choose("text");
    problem.replaceChildren(...(first ? [h("b", {}, "The model is not right: "), first.message, ...(first.help ? [` (${first.help})`] : []), first.place ? ` Line ${first.place.line}.` : ""] : []));
  });
  onTheme(() => board.touch());

  // The address holds what is shown; what is shown follows the address.
  let written = "";
  const remember = debounced(async () => {
    written = `#${await toFragment(session.setup)}`;
    if (written !== location.hash) history.replaceState(null, "", written);
  }, 300);
  const follow = async () => {
    try {
      const linked = await fromFragment(location.hash);
      const text = linked?.text ?? scenarios.find(({ name }) => name === linked?.scenario)?.text;
      if (linked && text !== undefined) return show({ ...linked, text });
      if (linked) tell(`There is no scenario called ${linked.scenario}.`, "bad");
    } catch {
      tell("The model in this address is damaged: perhaps the link was cut short.", "bad");
    }
    const first = TOURS[0];
    if (first) tour(first);
  };
  addEventListener("hashchange", () => location.hash !== written && void follow());
  document.addEventListener("visibilitychange", () => pauseWhileHidden(session));
  void listed.then((all) => {
    scenarios = all;
    return follow();
  });

  const frame = (now: number) => {
    requestAnimationFrame(frame);
    session.tick(now);
    stage.draw();
    transport.draw();
    board.draw(now);
    certificates.draw(now);
    meter.frame(now, { engine: session.spent, realTime: session.realTime, scene: stage.spent, plots: board.spent });
  };
  requestAnimationFrame(frame);
}

let paused = false;
function pauseWhileHidden(session: Session): void {
  if (document.hidden && session.playing) {
    paused = true;
    session.play(false);
  } else if (!document.hidden && paused) {
    paused = false;
    session.play(true);
  }
}

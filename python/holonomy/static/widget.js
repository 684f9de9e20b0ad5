// A frame with the player, and a slider for each number. The engine is in Python: sliders set `settings`, films come back.
function render({ model, el }) {
  const root = document.createElement("div");
  root.className = "holonomy-widget";
  const frame = document.createElement("iframe");
  frame.title = "Motion";
  frame.setAttribute("sandbox", "allow-scripts");
  frame.allow = "fullscreen";
  frame.style.height = `${model.get("_height")}px`;
  frame.srcdoc = model.get("_page");
  const panel = document.createElement("div");
  panel.className = "holonomy-sliders";
  const problem = document.createElement("p");
  problem.className = "holonomy-problem";
  problem.setAttribute("role", "status");
  root.append(frame, panel, problem);
  el.append(root);

  let ready = false;
  const show = () => ready && frame.contentWindow && frame.contentWindow.postMessage({ film: model.get("_film") }, "*");
  const heard = (event) => {
    if (event.source !== frame.contentWindow || !event.data || event.data.holonomy !== "ready") return;
    ready = true;
    show();
  };
  window.addEventListener("message", heard);

  const rows = model.get("_sliders").map((slider) => {
    const { path, unit, least, most, value } = slider;
    const label = document.createElement("label");
    const name = Object.assign(document.createElement("span"), { textContent: path });
    const input = Object.assign(document.createElement("input"), { type: "range", step: "any" });
    Object.assign(input, { min: String(least), max: String(most), ariaLabel: path });
    const output = document.createElement("output");
    const reset = Object.assign(document.createElement("button"), { type: "button", textContent: "↺", title: "As it was" });
    const write = () => {
      const now = model.get("settings")[path];
      if (now < Number(input.min)) input.min = String(now);
      if (now > Number(input.max)) input.max = String(now);
      input.value = String(now);
      output.textContent = `${Number(now.toPrecision(5))}${unit ? ` ${unit}` : ""}`;
    };
    input.addEventListener("input", () => turn(path, input.valueAsNumber));
    reset.addEventListener("click", () => turn(path, value));
    label.append(name, input, output);
    const row = document.createElement("div");
    row.append(label, reset);
    panel.append(row);
    return write;
  });
  // As fast as Python answers, and not faster.
  let waiting = 0, wanted = null;
  const turn = (path, value) => {
    wanted = { ...(wanted || model.get("settings")), [path]: Number(value.toPrecision(6)) };
    if (waiting) return;
    waiting = setTimeout(() => {
      waiting = 0;
      model.set("settings", wanted);
      wanted = null;
      model.save_changes();
    }, 60);
  };
  const written = () => rows.forEach((write) => write());
  const told = () => {
    // What stands between back-quotes is code.
    const parts = model.get("problem").split("`");
    problem.replaceChildren(...parts.map((part, k) => Object.assign(document.createElement(k % 2 ? "code" : "span"), { textContent: part })));
    problem.hidden = !model.get("problem");
  };
  model.on("change:settings", written);
  model.on("change:problem", told);
  model.on("change:_film", show);
  written();
  told();
  return () => {
    window.removeEventListener("message", heard);
    clearTimeout(waiting);
    model.off("change:settings", written);
    model.off("change:problem", told);
    model.off("change:_film", show);
  };
}
export default { render };

// Figures of the page whose horizontal axis is time: a line at the present moment, and a click goes there.
//
// `<svg data-time="T0 T1" data-x="X0 X1" data-y="Y0 Y1">`, or a `<g>` in one: seconds, and the frame of the plot in units of
// that element.

interface Figure {
  line: SVGLineElement;
  time: [number, number];
  x: [number, number];
}

export class Figures {
  private readonly all: Figure[] = [];

  constructor(private readonly seek: (t: number) => void) {
    for (const element of document.querySelectorAll<SVGGraphicsElement>("svg[data-time], g[data-time]")) {
      // Not the still picture of the player.
      if (!element.closest("#player")) this.add(element);
    }
  }

  show(t: number): void {
    for (const { line, time, x } of this.all) {
      const at = x[0] + ((t - time[0]) / (time[1] - time[0])) * (x[1] - x[0]);
      const inside = at >= Math.min(...x) - 0.5 && at <= Math.max(...x) + 0.5;
      line.setAttribute("visibility", inside ? "visible" : "hidden");
      if (inside) line.setAttribute("x1", at.toFixed(2)), line.setAttribute("x2", at.toFixed(2));
    }
  }

  private add(svg: SVGGraphicsElement): void {
    const pair = (name: string): [number, number] | null => {
      const [a, b] = (svg.getAttribute(name) ?? "").trim().split(/\s+/).map(Number);
      return Number.isFinite(a) && Number.isFinite(b) && a !== b ? [a, b] : null;
    };
    const time = pair("data-time"), x = pair("data-x"), y = pair("data-y");
    if (!time || !x || !y) return;
    const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    line.setAttribute("class", "player-cursor");
    line.setAttribute("aria-hidden", "true");
    line.setAttribute("y1", `${y[0]}`);
    line.setAttribute("y2", `${y[1]}`);
    svg.append(line);
    svg.classList.add("player-figure");
    // A group is met only where something is drawn.
    if (svg.localName === "g") svg.prepend(ground(x, y));
    this.all.push({ line, time, x });

    let dragging = false;
    const go = (event: PointerEvent) => {
      const matrix = svg.getScreenCTM();
      if (!matrix) return;
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()).x;
      this.seek(time[0] + ((at - x[0]) / (x[1] - x[0])) * (time[1] - time[0]));
    };
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      dragging = true;
      svg.setPointerCapture(event.pointerId);
      go(event);
    });
    svg.addEventListener("pointermove", (event) => dragging && go(event));
    for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, () => (dragging = false));
  }
}

/** The frame of a plot, unseen. */
function ground(x: [number, number], y: [number, number]): SVGRectElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const size: Record<string, number> = {
    x: Math.min(...x), y: Math.min(...y), width: Math.abs(x[1] - x[0]), height: Math.abs(y[1] - y[0]),
  };
  for (const name in size) made.setAttribute(name, `${size[name]}`);
  made.setAttribute("fill", "none");
  made.setAttribute("pointer-events", "all");
  return made;
}

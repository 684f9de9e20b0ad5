// A mechanism in 3-D, or several side by side under one camera.
//
//   const view = new SceneView(element, [scene], [""]);
//   view.update(0, poses); view.render();
//
// The mouse or a finger turns, the wheel or two fingers zoom, the right button or two fingers move; a double click resets.
import { AmbientLight, DirectionalLight, PerspectiveCamera, Scene as Stage, Vector2, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { diagonal, emptyBox, include, includeReach, includeSolids, look, roomy, upward } from "./camera";
import { Ground } from "./ground";
import { Mechanism } from "./mechanism";
import { nearest, type Pick, type Ray } from "./pick";
import style from "./style.css";
import { systemTheme, THEMES, type ThemeName } from "./theme";
import type { Box, Poses, Scene } from "./types";

export { diagonal, emptyBox, include, includeSolids } from "./camera";
export { directionOnSphere, type Pick, type Ray } from "./pick";
export { heatColours, THEMES, type Theme, type ThemeName } from "./theme";
export type { Axis, Box, JointKind, Poses, Quaternion, Scene, Shape, Vec3 } from "./types";

export interface SceneOptions {
  /** In a page that scrolls: the wheel zooms only where the view has the focus, and a finger scrolls up and down. */
  embedded?: boolean;
}

/** What is seen of one scene. */
interface View {
  scene: Scene;
  mechanism: Mechanism;
  stage: Stage;
  ground: Ground;
  label: HTMLElement;
  poses: Poses | null;
}

export class SceneView {
  /** False where there is no WebGL: a line in the container says so, and all calls do nothing. */
  readonly ok: boolean;
  readonly canvas: HTMLCanvasElement;
  private views: View[] = [];
  /** Those of former scenes, until the next are drawn: what was compiled for them is used again. */
  private retired: View[] = [];
  private readonly renderer: WebGLRenderer | null = null;
  private readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
  private controls: OrbitControls | null = null;
  private readonly light = new DirectionalLight("#ffffff", 2.1);
  private readonly root: HTMLElement;
  private readonly system: { theme: ThemeName; stop(): void };
  private readonly observer: ResizeObserver | null = null;
  private seen = emptyBox();
  private room: Box | null = null;
  private given: Box | null = null;
  private touched = false;
  private choice: ThemeName | "auto" = "auto";
  private waiting = 0;

  constructor(container: HTMLElement, scenes: Scene[], labels: string[], private readonly options: SceneOptions = {}) {
    addStyle();
    this.root = element("div", "scene");
    this.canvas = element("canvas");
    this.system = systemTheme(() => this.choice === "auto" && this.applyTheme());
    const context = this.canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "low-power" });
    this.ok = context !== null;
    if (!context) {
      this.root.className = "scene-missing";
      this.root.textContent = "The motion cannot be drawn: this browser has no WebGL 2, or it is switched off.";
      container.append(this.root);
      return;
    }
    this.renderer = new WebGLRenderer({ canvas: this.canvas, context, antialias: true });
    this.renderer.autoClear = false;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.root.append(this.canvas);
    container.append(this.root);
    this.canvas.addEventListener("dblclick", () => this.resetCamera());
    if (options.embedded) {
      const zoom = (enabled: boolean) => () => this.controls && (this.controls.enableZoom = enabled);
      this.canvas.addEventListener("focus", zoom(true));
      this.canvas.addEventListener("blur", zoom(false));
      // Two fingers always zoom.
      const focus = ({ pointerType }: PointerEvent) => pointerType === "touch" && this.canvas.focus({ preventScroll: true });
      this.canvas.addEventListener("pointerdown", focus, true);
    }
    this.setScenes(scenes, labels);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.root);
  }

  /** Other scenes in the same place, such as after a change of a model. With `keepCamera` the room stays, and only grows. */
  setScenes(scenes: Scene[], labels: string[], keepCamera = false): void {
    if (!this.ok) return;
    this.retired.push(...this.views);
    for (const { label } of this.views) label.remove();
    this.views = scenes.map((scene, k) => this.view(scene, labels[k] ?? ""));
    const names = labels.filter(Boolean).join(", ");
    this.canvas.setAttribute("aria-label", `The motion in three dimensions${names ? `: ${names}` : ""}`);
    const up = scenes[0] ? upward(scenes[0]) : this.camera.up;
    // The axis that they turn about is fixed when they are made.
    if (!this.controls || up.distanceTo(this.camera.up) > 1e-6) this.control(up);
    if (keepCamera && this.room) {
      this.fitRoom(this.room);
    } else {
      this.touched = false;
      this.seen = emptyBox();
      this.room = this.given = null;
    }
    this.applyTheme();
    this.resize();
  }

  /** Puts a scene where a state has it. Drawn by `render`. */
  update(view: number, poses: Poses): void {
    const seen = this.views[view];
    if (!seen) return;
    if (!seen.poses && !this.given) includeReach(this.seen, seen.scene, poses);
    seen.poses = poses;
    if (!this.given) {
      include(this.seen, poses);
      includeSolids(this.seen, seen.scene, poses);
      if (this.views.every((one) => one.poses) && this.outgrown()) this.fitRoom(roomy(this.seen, seen.scene, this.room ? 0.12 : 0.04));
    }
    seen.mechanism.update(poses);
  }

  render(): void {
    if (!this.renderer) return;
    cancelAnimationFrame(this.waiting);
    this.waiting = 0;
    // The light comes over the shoulder.
    const across = new Vector3(), up = new Vector3(), back = new Vector3();
    this.camera.matrixWorld.extractBasis(across, up, back);
    this.light.position.copy(back).addScaledVector(up, 0.9).addScaledVector(across, -0.5);
    // What is left between the views are lines.
    this.renderer.setScissorTest(false);
    this.renderer.setClearColor(THEMES[this.themeName].gridCentre);
    this.renderer.clear();
    this.renderer.setScissorTest(true);
    const { columns, rows } = this.grid(...this.renderer.getSize(new Vector2()).toArray());
    for (let k = 0; k < columns * rows; k++) {
      const cell = this.cell(k), view = this.views[k];
      this.renderer.setViewport(cell.x, cell.y, cell.width, cell.height);
      this.renderer.setScissor(cell.x, cell.y, cell.width, cell.height);
      this.renderer.setClearColor(THEMES[this.themeName].background);
      this.renderer.clear();
      if (!view) continue;
      view.stage.add(this.light);
      this.renderer.render(view.stage, this.camera);
    }
    this.retire();
  }

  /** Soon, once, however often it is asked for. */
  requestRender(): void {
    if (this.waiting === 0) this.waiting = requestAnimationFrame(() => ((this.waiting = 0), this.render()));
  }

  /** What is within some pixels of a place on the screen. */
  pick(clientX: number, clientY: number, reach = 16): Pick | null {
    const at = this.locate(clientX, clientY);
    const view = at && this.views[at.view];
    if (!at || !view?.poses) return null;
    const met = nearest(view.scene, view.poses, this.camera, at.width, at.height, at.x, at.y, reach);
    return met && { view: at.view, ...met };
  }

  /** The ray through a place on the screen. Within a drag, `view` names the one where it began. */
  ray(clientX: number, clientY: number, view?: number): Ray | null {
    const at = this.locate(clientX, clientY, view);
    if (!at) return null;
    const origin = this.camera.position;
    const end = new Vector3((2 * at.x) / at.width - 1, 1 - (2 * at.y) / at.height, 0.5).unproject(this.camera).sub(origin).normalize();
    return { view: at.view, origin: [origin.x, origin.y, origin.z], direction: [end.x, end.y, end.z] };
  }

  /** Whether the pointer turns the camera: not while it drags a body. */
  set controlsEnabled(enabled: boolean) {
    if (this.controls) this.controls.enabled = enabled;
  }

  setTheme(theme: ThemeName | "auto"): void {
    this.choice = theme;
    this.applyTheme();
  }

  get themeName(): ThemeName {
    return this.choice === "auto" ? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light") : this.choice;
  }

  /** A room for the whole motion, if it is known; without, it grows with what is seen. `keep`s a camera that was moved. */
  fit(box: Box | null, keep = false): void {
    this.given = box;
    this.touched &&= keep;
    this.seen = emptyBox();
    this.room = null;
    for (const view of this.views) {
      if (!view.poses) continue;
      includeReach(this.seen, view.scene, view.poses);
      include(this.seen, view.poses);
    }
    if (this.views[0]) this.fitRoom(roomy(box ?? this.seen, this.views[0].scene, 0.04));
  }

  resetCamera(): void {
    this.touched = false;
    if (this.room) this.aim();
    this.requestRender();
  }

  /** By angles, from the keyboard. */
  orbit(azimuth: number, elevation: number): void {
    if (!this.controls) return;
    this.touched = true;
    const away = this.camera.position.clone().sub(this.controls.target);
    const across = new Vector3().crossVectors(this.camera.up, away).normalize();
    const steep = away.angleTo(this.camera.up);
    away.applyAxisAngle(across, -Math.min(Math.max(elevation, steep - Math.PI + 0.02), steep - 0.02));
    away.applyAxisAngle(this.camera.up, azimuth);
    this.camera.position.copy(this.controls.target).add(away);
    this.controls.update();
    this.requestRender();
  }

  zoom(factor: number): void {
    if (!this.controls) return;
    this.touched = true;
    this.camera.position.sub(this.controls.target).multiplyScalar(1 / factor).add(this.controls.target);
    this.controls.update();
    this.requestRender();
  }

  /** Lengthens the traces only: after a jump in time, with the states before it. */
  trace(view: number, poses: Poses): void {
    this.views[view]?.mechanism.trace(poses);
  }

  clearTraces(): void {
    for (const { mechanism } of this.views) mechanism.clearTraces();
  }

  set traced(traced: boolean) {
    for (const { mechanism } of this.views) mechanism.setTraced(traced);
    this.requestRender();
  }

  /** Copies of tips, three numbers each, drawn as dots. */
  setSwarm(view: number, points: Float32Array | null): void {
    this.views[view]?.mechanism.setSwarm(points);
  }

  setLabel(view: number, label: string, note = ""): void {
    const seen = this.views[view];
    if (!seen) return;
    seen.label.replaceChildren(label, ...(note ? [element("small", "", note)] : []));
    seen.label.hidden = !label && !note;
  }

  /** The width of the ground's meshes, m. */
  get gridMesh(): number {
    return this.views[0]?.ground.mesh ?? 0;
  }

  /** A picture as a data URL (PNG). */
  snapshot(): string {
    this.render();
    return this.canvas.toDataURL("image/png");
  }

  dispose(): void {
    cancelAnimationFrame(this.waiting);
    this.system.stop();
    this.observer?.disconnect();
    this.controls?.dispose();
    this.retired.push(...this.views);
    this.retire();
    this.renderer?.dispose();
    this.renderer?.forceContextLoss();
    this.root.remove();
  }

  private retire(): void {
    for (const { mechanism, ground } of this.retired) mechanism.dispose(), ground.dispose();
    this.retired = [];
  }

  /** The pointer turns the camera about the way up. */
  private control(up: Vector3): void {
    this.controls?.dispose();
    this.touched = false;
    this.camera.up.copy(up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("start", () => (this.touched = true));
    this.controls.addEventListener("change", () => this.requestRender());
    if (this.options.embedded) {
      this.canvas.style.touchAction = "pan-y";
      this.controls.enableZoom = document.activeElement === this.canvas;
    }
  }

  private view(scene: Scene, text: string): View {
    const stage = new Stage(), mechanism = new Mechanism(scene), ground = new Ground();
    stage.add(new AmbientLight("#ffffff", 1.35), ground.lines, mechanism.group);
    const label = element("div", "scene-label");
    label.textContent = text;
    label.hidden = !text;
    this.root.append(label);
    return { scene, mechanism, stage, ground, label, poses: null };
  }

  /** Whether something left the room, or there is none yet. */
  private outgrown(): boolean {
    const { room, seen } = this;
    return !room || [0, 1, 2].some((c) => seen.low[c] < room.low[c] || seen.high[c] > room.high[c]);
  }

  private fitRoom(room: Box): void {
    this.room = room;
    for (const { mechanism, ground, poses } of this.views) {
      mechanism.setRoom(diagonal(room));
      ground.lay(room, this.camera.up);
      if (poses) mechanism.update(poses);
    }
    if (!this.touched) this.aim();
  }

  private aim(): void {
    if (!this.room || !this.controls) return;
    look(this.camera, this.room, this.controls.target);
    this.controls.minDistance = 0.02 * diagonal(this.room);
    this.controls.maxDistance = 20 * diagonal(this.room);
    this.controls.update();
  }

  private applyTheme(): void {
    const theme = this.themeName;
    this.root.dataset.theme = theme;
    for (const { mechanism, ground, poses } of this.views) {
      mechanism.setTheme(theme);
      if (poses) mechanism.update(poses);
      ground.setTheme(theme);
    }
    this.requestRender();
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (!this.renderer || width === 0 || height === 0) return;
    const now = this.renderer.getSize(new Vector2());
    const { columns, rows } = this.grid(width, height);
    if (now.x !== width || now.y !== height) this.renderer.setSize(width, height, false);
    this.root.dataset.columns = String(columns);
    this.camera.aspect = width / columns / (height / rows);
    this.camera.updateProjectionMatrix();
    this.views.forEach(({ label }, k) => {
      label.style.left = `${(100 * (k % columns)) / columns}%`;
      label.style.top = `${(100 * Math.floor(k / columns)) / rows}%`;
      label.style.maxWidth = `calc(${100 / columns}% - 1rem)`;
    });
    if (!this.touched) this.aim();
    this.render();
  }

  /** As square as possible, with few places left over. */
  private grid(width: number, height: number): { columns: number; rows: number } {
    const count = Math.max(1, this.views.length);
    const shape = (columns: number) => {
      const rows = Math.ceil(count / columns);
      return Math.abs(Math.log(width / columns / (height / rows))) + 0.6 * (columns * rows - count);
    };
    let columns = 1;
    for (let k = 2; k <= count; k++) if (shape(k) < shape(columns)) columns = k;
    return { columns, rows: Math.ceil(count / columns) };
  }

  /** In pixels of the page from the lower left corner, as WebGL has it. */
  private cell(k: number): { x: number; y: number; width: number; height: number } {
    const size = this.renderer?.getSize(new Vector2()) ?? new Vector2();
    const { columns, rows } = this.grid(size.x, size.y);
    const [width, height] = [size.x / columns, size.y / rows];
    const left = k % columns > 0 ? 1 : 0, above = k >= columns ? 1 : 0;
    const y = size.y - (Math.floor(k / columns) + 1) * height;
    return { x: (k % columns) * width + left, y, width: width - left, height: height - above };
  }

  private locate(clientX: number, clientY: number, view?: number) {
    const frame = this.canvas.getBoundingClientRect();
    const x = clientX - frame.left, y = clientY - frame.top;
    for (let k = 0; k < this.views.length; k++) {
      const cell = this.cell(k);
      const left = x - cell.x, top = y - (frame.height - cell.y - cell.height);
      const inside = left >= 0 && left < cell.width && top >= 0 && top < cell.height;
      if (view === undefined ? inside : view === k) return { view: k, x: left, y: top, width: cell.width, height: cell.height };
    }
    return null;
  }
}

function element<K extends keyof HTMLElementTagNameMap>(tag: K, className = "", text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text) made.textContent = text;
  return made;
}

let styled = false;
function addStyle(): void {
  if (styled) return;
  styled = true;
  document.head.append(element("style", "", style));
}

// One scene as solids: every shape becomes instances of a few pools, placed anew for every state.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, CylinderGeometry, DynamicDrawUsage, Group,
  IcosahedronGeometry, LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial, Points, PointsMaterial, SphereGeometry,
  type Object3D,
} from "three";
import { graticule, helix } from "./geometry";
import { ball, box, stick, turn, turned } from "./place";
import { Pool, type Paint } from "./pool";
import { heatColours, THEMES, type ThemeName } from "./theme";
import { tracked, Traces, type Tip } from "./trace";
import type { Axis, Poses, Scene, Shape } from "./types";

/** Pieces that a beam's curve is drawn with. */
const BEAM_PIECES = 10;
/** More bodies than this are one colour after the other along a scale. */
const FEW_BODIES = 16;

export class Mechanism {
  readonly group = new Group();
  /** Traces of tips are drawn. */
  traced = true;
  private readonly sticks = new Pool();
  private readonly balls = new Pool();
  private readonly blocks = new Pool();
  private readonly coils = new Pool();
  private readonly glass = new Pool();
  private readonly edges: LineSegments | null;
  private readonly spheres: { centre: number; solid: Mesh; lines: LineSegments }[] = [];
  private readonly tips: Tip[];
  private readonly traces: Traces | null;
  private readonly tipPlaces: Float32Array;
  private readonly swarm: Points<BufferGeometry, PointsMaterial>;
  private readonly bodies: number;
  /** The least radius that is still seen well. */
  private thin = 0;
  private colours = heatColours("light");
  private theme: ThemeName = "light";
  private hot = false;

  constructor(private readonly scene: Scene) {
    const numbers = scene.shapes.map((shape) => ("body" in shape ? shape.body + 1 : 0));
    this.bodies = numbers.reduce((most, n) => Math.max(most, n), 0);
    for (const shape of scene.shapes) this.add(shape);
    this.tips = tracked(scene);
    this.tipPlaces = new Float32Array(3 * this.tips.length);
    this.traces = this.tips.length > 0 ? new Traces(this.tips.length) : null;

    const solid = new MeshLambertMaterial();
    const clear = new MeshLambertMaterial({ transparent: true, opacity: 0.22, depthWrite: false });
    const round = (count: number, fine: number, coarse: number) => (count < 100 ? fine : coarse);
    const meshes = [
      this.sticks.build((n) => new CylinderGeometry(1, 1, 1, round(n, 20, 8)), solid),
      this.balls.build((n) => new IcosahedronGeometry(1, n < 100 ? 4 : n < 2000 ? 2 : 1), solid),
      this.blocks.build(() => new BoxGeometry(1, 1, 1), solid),
      this.coils.build((n) => helix(round(n, 16, 8)), solid),
      this.glass.build(() => new BoxGeometry(1, 1, 1), clear),
    ];
    for (const mesh of meshes) if (mesh) this.group.add(mesh);
    this.edges = this.glass.count > 0 ? edgesOf(this.glass.count) : null;
    if (this.edges) this.group.add(this.edges);
    if (this.traces) this.group.add(this.traces.mesh);
    this.swarm = new Points(new BufferGeometry(), new PointsMaterial({ size: 4, sizeAttenuation: false }));
    this.swarm.frustumCulled = false;
    this.swarm.visible = false;
    this.group.add(this.swarm);
    this.setTheme("light");
  }

  /** Sizes follow from the room that the motion takes: parts stay visible in a large one. */
  setRoom(diagonal: number): void {
    this.thin = 0.0022 * diagonal;
  }

  update(poses: Poses): void {
    for (const pool of [this.sticks, this.balls, this.blocks, this.coils, this.glass]) pool.update(poses);
    if (poses.heat) this.balls.heat(poses.heat, this.colours);
    else if (this.hot) this.setTheme(this.theme);
    this.hot = poses.heat !== undefined;
    if (this.edges) this.updateEdges();
    for (const { centre, solid, lines } of this.spheres) {
      const p = poses.points, o = 3 * centre;
      solid.position.set(p[o], p[o + 1], p[o + 2]);
      lines.position.copy(solid.position);
    }
    if (this.traces && this.traced) {
      this.placeTips(poses);
      this.traces.push(this.tipPlaces, 1.5 * this.thin);
      this.traces.draw(this.tipPlaces, 0.9 * this.thin);
    }
  }

  /** Only lengthens the traces. */
  trace(poses: Poses): void {
    if (!this.traces) return;
    this.placeTips(poses);
    this.traces.push(this.tipPlaces, 1.5 * this.thin);
  }

  clearTraces(): void {
    this.traces?.clear();
  }

  setTraced(traced: boolean): void {
    this.traced = traced;
    if (this.traces) this.traces.mesh.visible = traced;
  }

  /** Points without bodies: copies of a tip, three numbers each. */
  setSwarm(points: Float32Array | null): void {
    this.swarm.visible = points !== null && points.length > 0;
    if (!points) return;
    const old = this.swarm.geometry.getAttribute("position") as BufferAttribute | undefined;
    if (old && old.array.length === points.length) {
      (old.array as Float32Array).set(points);
      old.needsUpdate = true;
    } else {
      this.swarm.geometry.setAttribute("position", new BufferAttribute(points.slice(), 3).setUsage(DynamicDrawUsage));
    }
  }

  setTheme(name: ThemeName): void {
    this.theme = name;
    const theme = THEMES[name];
    this.colours = heatColours(name);
    const palette = new Map<Paint, Color>();
    const paint = (what: Paint): Color => {
      let colour = palette.get(what);
      if (!colour) palette.set(what, (colour = typeof what === "number" ? this.bodyColour(what) : new Color(theme[what])));
      return colour;
    };
    for (const pool of [this.sticks, this.balls, this.blocks, this.coils, this.glass]) pool.colour(paint);
    if (this.edges) (this.edges.material as LineBasicMaterial).color.set(theme.edge);
    for (const { solid, lines } of this.spheres) {
      (solid.material as MeshLambertMaterial).color.set(theme.sphere);
      (lines.material as LineBasicMaterial).color.set(theme.graticule);
    }
    this.traces?.colour(this.tips.map((tip) => (tip.body === null ? new Color(theme.bodies[0]) : paint(tip.body))));
    this.swarm.material.color.set(theme.swarm);
  }

  dispose(): void {
    this.group.traverse((object: Object3D) => {
      const { geometry, material } = object as Mesh;
      geometry?.dispose();
      for (const one of [material].flat()) one?.dispose();
    });
  }

  private bodyColour(body: number): Color {
    const { bodies } = THEMES[this.theme];
    if (this.bodies <= FEW_BODIES) return new Color(bodies[body % bodies.length]);
    const at = 3 * Math.round((255 * (0.15 + 0.8 * (body / (this.bodies - 1)))));
    return new Color(this.colours[at], this.colours[at + 1], this.colours[at + 2]);
  }

  private add(shape: Shape): void {
    const size = this.scene.size;
    switch (shape.kind) {
      case "rod":
        return this.stick(shape.body, shape.from, shape.to, shape.radius, 1);
      case "mass":
        return this.ball(shape.body, shape.at, shape.radius, 2.2);
      case "point":
        return this.ball(pointBody(this.scene, shape.at), shape.at, 0.03 * size, 2.2);
      case "pivot":
        return this.block("fixed", shape.at, 0.055 * size, 3);
      case "pin":
        return this.ball("joint", shape.between[0], 0.03 * size, 1.6);
      case "cable":
        return this.line("cable", shape.through, 0.007 * size);
      case "line":
        return this.line(pointBody(this.scene, shape.through[shape.through.length - 1]), shape.through, 0.015 * size);
      case "spring":
        return this.coil(shape.between);
      case "damper":
        return this.damper(shape.between);
      case "inertia":
        return this.inertia(shape);
      case "joint":
        return this.joint(shape);
      case "plane":
        return this.plane(shape);
      case "beam":
        return this.beam(shape);
      case "sphere":
        return this.sphere(shape.centre, shape.radius);
      default:
        // A shape of a later version: the others are drawn.
        return;
    }
  }

  /** From one point to another, or a part of that way. */
  private stick(paint: Paint, from: number, to: number, radius: number, least: number, begin = 0, end = 1): void {
    const a = 3 * from, b = 3 * to;
    this.sticks.add(paint, ({ points: p }, m, o) => {
      const x = p[b] - p[a], y = p[b + 1] - p[a + 1], z = p[b + 2] - p[a + 2];
      stick(
        m, o, p[a] + begin * x, p[a + 1] + begin * y, p[a + 2] + begin * z, p[a] + end * x, p[a + 1] + end * y, p[a + 2] + end * z,
        Math.max(radius, least * this.thin),
      );
    });
  }

  private ball(paint: Paint, at: number, radius: number, least: number): void {
    const a = 3 * at;
    this.balls.add(paint, ({ points: p }, m, o) => ball(m, o, p[a], p[a + 1], p[a + 2], Math.max(radius, least * this.thin)));
  }

  private block(paint: Paint, at: number, edge: number, least: number): void {
    const a = 3 * at;
    this.blocks.add(paint, ({ points: p }, m, o) => ball(m, o, p[a], p[a + 1], p[a + 2], Math.max(edge, least * this.thin)));
  }

  private line(paint: Paint, through: number[], radius: number): void {
    for (let k = 1; k < through.length; k++) this.stick(paint, through[k - 1], through[k], radius, 0.8);
  }

  private coil([from, to]: [number, number]): void {
    const a = 3 * from, b = 3 * to, radius = 0.045 * this.scene.size;
    this.coils.add("spring", ({ points: p }, m, o) =>
      stick(m, o, p[a], p[a + 1], p[a + 2], p[b], p[b + 1], p[b + 2], Math.max(radius, 2.5 * this.thin)));
  }

  private damper([from, to]: [number, number]): void {
    const size = this.scene.size;
    this.stick("spring", from, to, 0.012 * size, 0.8);
    this.stick("spring", from, to, 0.035 * size, 2, 0.3, 0.65);
  }

  private inertia({ body, centre, rotation: r, edges }: Shape & { kind: "inertia" }): void {
    const least = 0.012 * this.scene.size;
    const [ex, ey, ez] = edges.map((edge) => Math.max(edge, least));
    this.glass.add(body, ({ framePositions: f, frameRotations: q }, m, o) => {
      const k = 4 * body, w = q[k], x = q[k + 1], y = q[k + 2], z = q[k + 3];
      turn(q, k, centre[0], centre[1], centre[2]);
      const [r0, r1, r2, r3] = r;
      box(
        m, o, f[3 * body] + turned[0], f[3 * body + 1] + turned[1], f[3 * body + 2] + turned[2],
        w * r0 - x * r1 - y * r2 - z * r3, w * r1 + x * r0 + y * r3 - z * r2,
        w * r2 - x * r3 + y * r0 + z * r1, w * r3 + x * r2 - y * r1 + z * r0, ex, ey, ez,
      );
    });
  }

  private joint({ joint, from, to, axes, driven }: Shape & { kind: "joint" }): void {
    const size = this.scene.size;
    const paint: Paint = driven ? "driven" : "joint";
    switch (joint) {
      case "free":
        return;
      case "fixed":
        return this.block(paint, to, 0.04 * size, 2.2);
      case "spherical":
        return this.ball(paint, to, 0.035 * size, 2);
      case "prismatic":
      case "screw":
        this.stick(paint, from, to, 0.012 * size, 0.8);
        if (joint === "prismatic") this.block(paint, from, 0.05 * size, 2.6);
        for (const axis of axes) this.along(paint, to, axis, 0.06 * size, joint === "screw" ? 0.035 * size : 0.022 * size);
        return;
      case "revolute":
      case "universal":
        for (const axis of axes) this.along(paint, to, axis, 0.04 * size, joint === "universal" ? 0.018 * size : 0.035 * size);
    }
  }

  /** A pin along an axis, half of it on either side of a point. */
  private along(paint: Paint, at: number, { frame, direction: d }: Axis, half: number, radius: number): void {
    const a = 3 * at;
    this.sticks.add(paint, ({ points: p, frameRotations: q }, m, o) => {
      if (frame === null) turned.set(d);
      else turn(q, 4 * frame, d[0], d[1], d[2]);
      const s = Math.max(half, 2.4 * this.thin), x = s * turned[0], y = s * turned[1], z = s * turned[2];
      stick(m, o, p[a] - x, p[a + 1] - y, p[a + 2] - z, p[a] + x, p[a + 1] + y, p[a + 2] + z, Math.max(radius, 2 * this.thin));
    });
  }

  /** As large as the way that its point has gone on it. */
  private plane({ at, on, normal }: Shape & { kind: "plane" }): void {
    const size = this.scene.size;
    let half = 0.3 * size;
    const [x, y, z] = normal.direction;
    // From z to the normal.
    const length = Math.hypot(1 + z, y, x);
    const fixed = length > 1e-6 ? [(1 + z) / length, -y / length, x / length, 0] : [0, 1, 0, 0];
    this.glass.add("plane", ({ points: p, frameRotations: q }, m, o) => {
      const a = 3 * at, c = 3 * on;
      half = Math.max(half, 1.1 * Math.hypot(p[a] - p[c], p[a + 1] - p[c + 1], p[a + 2] - p[c + 2]) || 0);
      let [w, i, j, k] = fixed;
      if (normal.frame !== null) {
        const f = 4 * normal.frame, [u, s, t, v] = [q[f], q[f + 1], q[f + 2], q[f + 3]];
        [w, i, j, k] = [
          u * w - s * i - t * j - v * k, u * i + s * w + t * k - v * j, u * j - s * k + t * w + v * i, u * k + s * j - t * i + v * w,
        ];
      }
      box(m, o, p[c], p[c + 1], p[c + 2], w, i, j, k, 2 * half, 2 * half, 0.004 * size);
    });
  }

  /** The cubic curve that leaves both ends along their axes (Hermite), in straight pieces. */
  private beam({ between, axes, length }: Shape & { kind: "beam" }): void {
    const a = 3 * between[0], b = 3 * between[1], radius = 0.02 * this.scene.size;
    const tangent = (q: Float32Array, { frame, direction: d }: Axis, out: Float64Array) => {
      if (frame === null) turned.set(d);
      else turn(q, 4 * frame, d[0], d[1], d[2]);
      for (let c = 0; c < 3; c++) out[c] = length * turned[c];
    };
    const first = new Float64Array(3), second = new Float64Array(3), places = new Float64Array(3 * (BEAM_PIECES + 1));
    const body = axes[1].frame ?? axes[0].frame;
    for (let k = 0; k < BEAM_PIECES; k++) {
      this.sticks.add(body ?? "fixed", ({ points: p, frameRotations: q }, m, o) => {
        if (k === 0) {
          tangent(q, axes[0], first);
          tangent(q, axes[1], second);
          for (let i = 0; i <= BEAM_PIECES; i++) {
            const s = i / BEAM_PIECES, u = 1 - s;
            const h0 = u * u * (1 + 2 * s), h1 = s * s * (3 - 2 * s), g0 = s * u * u, g1 = -s * s * u;
            for (let c = 0; c < 3; c++) places[3 * i + c] = h0 * p[a + c] + h1 * p[b + c] + g0 * first[c] + g1 * second[c];
          }
        }
        const i = 3 * k;
        stick(
          m, o, places[i], places[i + 1], places[i + 2], places[i + 3], places[i + 4], places[i + 5], Math.max(radius, this.thin),
        );
      });
    }
  }

  /** Hides what is behind it where there are many bodies, and little of it where there are few. */
  private sphere(centre: number, radius: number): void {
    const many = this.bodies > FEW_BODIES;
    const solid = new Mesh(
      new SphereGeometry(0.985 * radius, 48, 32),
      new MeshLambertMaterial({ transparent: true, opacity: many ? 0.82 : 0.28, depthWrite: false }),
    );
    const lines = new LineSegments(graticule(0.99 * radius), new LineBasicMaterial({ transparent: true, opacity: 0.7 }));
    solid.renderOrder = 1;
    lines.renderOrder = 2;
    this.spheres.push({ centre, solid, lines });
    this.group.add(solid, lines);
  }

  /** The eight corners of every box, from its matrix. */
  private updateEdges(): void {
    const matrices = this.glass.mesh?.instanceMatrix.array;
    const corners = this.edges?.geometry.getAttribute("position");
    if (!matrices || !corners) return;
    const out = corners.array;
    for (let k = 0; k < this.glass.count; k++) {
      const m = 16 * k;
      for (let corner = 0; corner < 8; corner++) {
        const x = corner & 1 ? 0.5 : -0.5, y = corner & 2 ? 0.5 : -0.5, z = corner & 4 ? 0.5 : -0.5;
        const o = 3 * (8 * k + corner);
        for (let c = 0; c < 3; c++) {
          out[o + c] = matrices[m + c] * x + matrices[m + 4 + c] * y + matrices[m + 8 + c] * z + matrices[m + 12 + c];
        }
      }
    }
    corners.needsUpdate = true;
  }

  private placeTips({ points, framePositions, frameRotations }: Poses): void {
    for (let k = 0; k < this.tips.length; k++) {
      const { point, frame, offset } = this.tips[k];
      const from = point === null ? framePositions : points, at = 3 * (point ?? frame);
      turned.fill(0);
      if (point === null) turn(frameRotations, 4 * frame, offset[0], offset[1], offset[2]);
      for (let c = 0; c < 3; c++) this.tipPlaces[3 * k + c] = from[at + c] + turned[c];
    }
  }
}

/** Points of typed-in models have no bodies: each has the colour of its number. */
function pointBody(scene: Scene, point: number): number {
  return Math.max(0, scene.shapes.filter((shape) => shape.kind === "point").findIndex((shape) => shape.at === point));
}

function edgesOf(count: number): LineSegments {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(24 * count), 3).setUsage(DynamicDrawUsage));
  const one = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];
  geometry.setIndex(Array.from({ length: 24 * count }, (_, k) => 8 * Math.floor(k / 24) + one[k % 24]));
  const edges = new LineSegments(geometry, new LineBasicMaterial({ transparent: true, opacity: 0.55 }));
  edges.frustumCulled = false;
  return edges;
}

// A grid under the motion, and how wide its meshes are.
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Vector3 } from "three";
import { diagonal } from "./camera";
import { THEMES, type ThemeName } from "./theme";
import type { Box } from "./types";

export class Ground {
  readonly lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial());
  /** The width of a mesh, m. */
  mesh = 0;

  constructor() {
    this.lines.frustumCulled = false;
    this.lines.renderOrder = -1;
  }

  /** Below a box, across the way up. */
  lay(box: Box, up: Vector3): void {
    const room = diagonal(box);
    const power = 10 ** Math.floor(Math.log10(room / 8));
    this.mesh = power * ([1, 2, 5, 10].find((k) => k * power >= room / 10) ?? 10);
    const low = new Vector3(...box.low), high = new Vector3(...box.high);
    const centre = low.clone().add(high).multiplyScalar(0.5);
    const half = 0.5 * (Math.abs(up.x) * (high.x - low.x) + Math.abs(up.y) * (high.y - low.y) + Math.abs(up.z) * (high.z - low.z));
    const right = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    right.addScaledVector(up, -right.dot(up)).normalize();
    const back = new Vector3().crossVectors(right, up);
    const origin = centre.clone().addScaledVector(up, -half);
    // Lines through whole multiples of the mesh.
    const snap = (axis: Vector3) => Math.round(centre.dot(axis) / this.mesh) * this.mesh - centre.dot(axis);
    origin.addScaledVector(right, snap(right)).addScaledVector(back, snap(back));
    const count = Math.ceil((0.8 * room) / this.mesh), reach = count * this.mesh;
    const places: number[] = [];
    const put = (a: number, b: number) => {
      const p = origin.clone().addScaledVector(right, a).addScaledVector(back, b);
      places.push(p.x, p.y, p.z);
    };
    for (let k = -count; k <= count; k++) {
      const at = k * this.mesh, end = Math.sqrt(Math.max(0, reach * reach - at * at));
      put(at, -end), put(at, end), put(-end, at), put(end, at);
    }
    this.lines.geometry.dispose();
    this.lines.geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
  }

  setTheme(theme: ThemeName): void {
    this.lines.material.color.set(THEMES[theme].grid);
  }

  dispose(): void {
    this.lines.geometry.dispose();
    this.lines.material.dispose();
  }
}

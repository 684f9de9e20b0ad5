// What is under the pointer, and where a drag leads.
import { Vector3, type PerspectiveCamera } from "three";
import { boxCentre } from "./camera";
import type { Poses, Scene, Vec3 } from "./types";

/** What was met: the body that has it, and its point. */
export interface Pick {
  view: number;
  body?: number;
  point?: number;
}

/** From the eye through the pointer; `direction` is a unit vector. */
export interface Ray {
  view: number;
  origin: Vec3;
  direction: Vec3;
}

/** The nearest mass, point, rod or box within `reach` pixels of (x, y) in a view of that width and height. */
export function nearest(
  scene: Scene, poses: Poses, camera: PerspectiveCamera, width: number, height: number, x: number, y: number, reach: number,
): Omit<Pick, "view"> | null {
  const place = new Vector3();
  const seen = (place: Vector3): [number, number] => {
    place.project(camera);
    return [(0.5 + 0.5 * place.x) * width, (0.5 - 0.5 * place.y) * height];
  };
  const screen = (places: Float32Array, at: number) => seen(place.fromArray(places, 3 * at));
  let best: Omit<Pick, "view"> | null = null;
  let least = reach;
  const offer = (distance: number, pick: Omit<Pick, "view">) => {
    if (distance < least) (least = distance), (best = pick);
  };
  for (const shape of scene.shapes) {
    if (shape.kind === "mass" || shape.kind === "point") {
      const [a, b] = screen(poses.points, shape.at);
      // A point goes before the rod that ends there.
      const distance = Math.max(0, Math.hypot(a - x, b - y) - 4);
      offer(distance, shape.kind === "mass" ? { body: shape.body, point: shape.at } : { point: shape.at });
    } else if (shape.kind === "rod") {
      const [a, b] = screen(poses.points, shape.from), [c, d] = screen(poses.points, shape.to);
      const length = (c - a) ** 2 + (d - b) ** 2;
      const along = length > 0 ? Math.min(1, Math.max(0, ((x - a) * (c - a) + (y - b) * (d - b)) / length)) : 0;
      offer(Math.hypot(a + along * (c - a) - x, b + along * (d - b) - y), { body: shape.body, point: shape.to });
    } else if (shape.kind === "inertia") {
      const [a, b] = seen(boxCentre(shape, poses, place));
      offer(Math.hypot(a - x, b - y), { body: shape.body });
    }
  }
  return best;
}

/** The unit vector from a centre to where a ray meets the sphere about it, or comes nearest to it. */
export function directionOnSphere({ origin, direction }: Ray, centre: Vec3, radius: number, far = false): Vec3 {
  const o = new Vector3(...origin), d = new Vector3(...direction), c = new Vector3(...centre);
  const foot = o.clone().addScaledVector(d, c.clone().sub(o).dot(d)).sub(c);
  const inside = radius * radius - foot.lengthSq();
  if (inside > 0) foot.addScaledVector(d, (far ? 1 : -1) * Math.sqrt(inside));
  foot.normalize();
  return [foot.x, foot.y, foot.z];
}

// Where to look from, so that a motion is seen whole.
import { PerspectiveCamera, Quaternion, Vector3 } from "three";
import type { Box, Poses, Scene, Shape, Vec3 } from "./types";

/** How far what hangs on a pivot is expected to swing out, as a part of how far it could. */
const SIDEWAYS = 0.7;

/** Nothing yet. */
export function emptyBox(): Box {
  return { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
}

/** Makes room for all that is in a state; what is not a number is left out. */
export function include(box: Box, { points, framePositions }: Poses): void {
  for (const places of [points, framePositions]) {
    for (let k = 0; k < places.length; k++) {
      const c = k % 3, x = places[k];
      if (x < box.low[c] && x > -1e30) box.low[c] = x;
      if (x > box.high[c] && x < 1e30) box.high[c] = x;
    }
  }
}

/** Spheres and boxes reach beyond their points. */
export function includeSolids(box: Box, scene: Scene, poses: Poses): void {
  const place = new Vector3();
  const reach = ({ x, y, z }: Vector3, r: number) => {
    if (!Number.isFinite(x + y + z)) return;
    [x, y, z].forEach((at, c) => {
      box.low[c] = Math.min(box.low[c]!, at - r);
      box.high[c] = Math.max(box.high[c]!, at + r);
    });
  };
  for (const shape of scene.shapes) {
    if (shape.kind === "sphere") reach(place.fromArray(poses.points, 3 * shape.centre), shape.radius);
    if (shape.kind === "inertia") reach(boxCentre(shape, poses, place), 0.5 * Math.max(...shape.edges));
  }
}

const turn = new Quaternion(), origin = new Vector3();

/** Where the box of a body has its middle. */
export function boxCentre({ body, centre }: Shape & { kind: "inertia" }, { framePositions, frameRotations }: Poses, out: Vector3): Vector3 {
  const [w = 1, x = 0, y = 0, z = 0] = frameRotations.subarray(4 * body);
  return out.set(...centre).applyQuaternion(turn.set(x, y, z, w)).add(origin.fromArray(framePositions, 3 * body));
}

/**
 * What hangs on a pivot may come to any place around it: room for that, before the motion is known. Most of what falls
 * does not rise above its start, nor swing out all the way: what does makes room by itself.
 */
export function includeReach(box: Box, scene: Scene, poses: Poses): void {
  includeSolids(box, scene, poses);
  const pivots = scene.shapes.flatMap((shape) => (shape.kind === "pivot" ? [3 * shape.at] : []));
  if (pivots.length === 0 || pivots.length > 20) return;
  const own = emptyBox(), { points: p } = poses;
  include(own, poses);
  // Not across a motion in a plane: what leaves it makes room by itself.
  const edges = own.high.map((x, c) => x - own.low[c]);
  const flat = edges.map((edge) => edge < 0.05 * scene.size);
  const spread = flat.filter((one) => !one).length > 1 ? flat : [false, false, false];
  const reach = new Map<number, number>();
  for (let k = 0; k < p.length; k += 3) {
    let least = Infinity, nearest = pivots[0];
    for (const pivot of pivots) {
      const far = Math.hypot(p[k] - p[pivot], p[k + 1] - p[pivot + 1], p[k + 2] - p[pivot + 2]);
      if (far < least) (least = far), (nearest = pivot);
    }
    if (least < Infinity) reach.set(nearest, Math.max(reach.get(nearest) ?? 0, least));
  }
  for (const [pivot, r] of reach) {
    for (let c = 0; c < 3; c++) {
      if (spread[c]) continue;
      const fall = scene.down?.[c] ?? 0;
      box.low[c] = Math.min(box.low[c], p[pivot + c] - r * (fall > 0.9 ? 0.1 : fall < -0.9 ? 1 : SIDEWAYS));
      box.high[c] = Math.max(box.high[c], p[pivot + c] + r * (fall < -0.9 ? 0.1 : fall > 0.9 ? 1 : SIDEWAYS));
    }
  }
}

export function diagonal({ low, high }: Box): number {
  const length = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  return Number.isFinite(length) ? length : 0;
}

/** A box that has everything, a little larger than what was seen, never flat to nothing. */
export function roomy(box: Box, scene: Scene, margin: number): Box {
  const size = diagonal(box) > 0 ? diagonal(box) : 1;
  const least = Math.max(margin * size, 0.1 * scene.size);
  const known = Number.isFinite(box.low[0]);
  const low = (known ? box.low : [0, 0, 0]).map((x) => x - least) as Vec3;
  const high = (known ? box.high : [0, 0, 0]).map((x) => x + least) as Vec3;
  return { low, high };
}

/** The way up: against gravity, or z. */
export function upward({ down }: Scene): Vector3 {
  return down ? new Vector3(...down).negate().normalize() : new Vector3(0, 0, 1);
}

/** Turns the camera to a box and moves it away until the corners are inside. A flat motion is seen from its face. */
export function look(camera: PerspectiveCamera, box: Box, target: Vector3): void {
  const up = camera.up.clone();
  const right = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  right.addScaledVector(up, -right.dot(up)).normalize();
  const back = new Vector3().crossVectors(right, up);
  const edges = new Vector3(...box.high).sub(new Vector3(...box.low));
  const extent = (axis: Vector3) => Math.abs(axis.x) * edges.x + Math.abs(axis.y) * edges.y + Math.abs(axis.z) * edges.z;
  const [wide, deep, tall] = [extent(right), extent(back), extent(up)];
  const direction = new Vector3();
  if (tall < 0.3 * Math.min(wide, deep)) direction.addScaledVector(right, 0.25).addScaledVector(back, 0.7).addScaledVector(up, 1);
  else if (deep <= wide) {
    const flat = deep < 0.3 * wide;
    direction.addScaledVector(back, 1).addScaledVector(right, flat ? 0.22 : 0.5).addScaledVector(up, flat ? 0.14 : 0.32);
  } else {
    const flat = wide < 0.3 * deep;
    direction.addScaledVector(right, 1).addScaledVector(back, flat ? 0.22 : 0.5).addScaledVector(up, flat ? 0.14 : 0.32);
  }
  direction.normalize();

  target.set(...box.low).add(new Vector3(...box.high)).multiplyScalar(0.5);
  camera.position.copy(target).add(direction);
  camera.lookAt(target);
  camera.updateMatrixWorld();
  const x = new Vector3(), y = new Vector3(), z = new Vector3();
  camera.matrixWorld.extractBasis(x, y, z);
  const vertical = Math.tan((camera.fov * Math.PI) / 360), horizontal = vertical * camera.aspect;
  let distance = 1e-6;
  for (let k = 0; k < 8; k++) {
    const corner = new Vector3(
      k & 1 ? box.low[0] : box.high[0], k & 2 ? box.low[1] : box.high[1], k & 4 ? box.low[2] : box.high[2],
    ).sub(target);
    const near = corner.dot(z);
    distance = Math.max(distance, near + Math.abs(corner.dot(x)) / horizontal, near + Math.abs(corner.dot(y)) / vertical);
  }
  camera.position.copy(target).addScaledVector(direction, distance);
  camera.near = distance / 200;
  camera.far = distance * 50;
  camera.updateProjectionMatrix();
  camera.updateMatrixWorld();
}

// Matrices of instances, written in place: 16 numbers by columns. Nothing is allocated.

type Numbers = Float32Array;

/** A solid of unit height along y, from a to b, r thick. */
export function stick(
  m: Numbers, o: number, ax: number, ay: number, az: number, bx: number, by: number, bz: number, r: number,
): void {
  const dx = bx - ax, dy = by - ay, dz = bz - az;
  const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
  if (!(length > 0)) return hide(m, o);
  // A direction across: the cross product with the axis that is least along it.
  const x = Math.abs(dx), y = Math.abs(dy), z = Math.abs(dz);
  let ux = 0, uy = 0, uz = 0;
  if (x <= y && x <= z) (uy = -dz), (uz = dy);
  else if (y <= z) (ux = dz), (uz = -dx);
  else (ux = -dy), (uy = dx);
  const scale = r / Math.sqrt(ux * ux + uy * uy + uz * uz);
  (ux *= scale), (uy *= scale), (uz *= scale);
  (m[o] = ux), (m[o + 1] = uy), (m[o + 2] = uz), (m[o + 3] = 0);
  (m[o + 4] = dx), (m[o + 5] = dy), (m[o + 6] = dz), (m[o + 7] = 0);
  m[o + 8] = (uy * dz - uz * dy) / length;
  m[o + 9] = (uz * dx - ux * dz) / length;
  m[o + 10] = (ux * dy - uy * dx) / length;
  m[o + 11] = 0;
  (m[o + 12] = 0.5 * (ax + bx)), (m[o + 13] = 0.5 * (ay + by)), (m[o + 14] = 0.5 * (az + bz)), (m[o + 15] = 1);
}

/** A solid r large at a point, not turned. */
export function ball(m: Numbers, o: number, x: number, y: number, z: number, r: number): void {
  m.fill(0, o, o + 16);
  // A place that has no value is not drawn.
  if (!(Math.abs(x + y + z) < Infinity)) return hide(m, o);
  m[o] = m[o + 5] = m[o + 10] = r;
  (m[o + 12] = x), (m[o + 13] = y), (m[o + 14] = z), (m[o + 15] = 1);
}

/** A unit cube at c with the edges e, turned by the quaternion w x y z. */
export function box(
  m: Numbers, o: number, cx: number, cy: number, cz: number, w: number, x: number, y: number, z: number,
  ex: number, ey: number, ez: number,
): void {
  (m[o] = (1 - 2 * (y * y + z * z)) * ex), (m[o + 1] = 2 * (x * y + w * z) * ex), (m[o + 2] = 2 * (x * z - w * y) * ex);
  (m[o + 4] = 2 * (x * y - w * z) * ey), (m[o + 5] = (1 - 2 * (x * x + z * z)) * ey), (m[o + 6] = 2 * (y * z + w * x) * ey);
  (m[o + 8] = 2 * (x * z + w * y) * ez), (m[o + 9] = 2 * (y * z - w * x) * ez), (m[o + 10] = (1 - 2 * (x * x + y * y)) * ez);
  (m[o + 12] = cx), (m[o + 13] = cy), (m[o + 14] = cz), (m[o + 15] = 1);
  m[o + 3] = m[o + 7] = m[o + 11] = 0;
}

/** Shrunk to nothing. */
export function hide(m: Numbers, o: number): void {
  m.fill(0, o, o + 16);
  m[o + 15] = 1;
}

/** Where `turn` puts a vector. */
export const turned = new Float64Array(3);

/** Turns a vector by the quaternion w x y z at `o`, into `turned`: v + 2w (u × v) + 2 u × (u × v). */
export function turn(q: ArrayLike<number>, o: number, vx: number, vy: number, vz: number): void {
  const w = q[o], x = q[o + 1], y = q[o + 2], z = q[o + 3];
  const tx = 2 * (y * vz - z * vy), ty = 2 * (z * vx - x * vz), tz = 2 * (x * vy - y * vx);
  turned[0] = vx + w * tx + y * tz - z * ty;
  turned[1] = vy + w * ty + z * tx - x * tz;
  turned[2] = vz + w * tz + x * ty - y * tx;
}

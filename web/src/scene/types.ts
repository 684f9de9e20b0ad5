// What is drawn and where it is: `crates/holonomy/src/scene.rs` as JSON.

export type Vec3 = [number, number, number];
/** w x y z, from the axes of a frame to those of the world. */
export type Quaternion = [number, number, number, number];

/** What a system looks like: shapes, given once. */
export interface Scene {
  /** Names of the bodies that have a frame. */
  frames: string[];
  /** Names of the points. */
  points: string[];
  shapes: Shape[];
  /** The way things fall, a unit vector, where there is gravity. */
  down: Vec3 | null;
  /** The longest part, m. */
  size: number;
}

/** A direction that is fixed in a frame, or in the world. */
export interface Axis {
  frame: number | null;
  direction: Vec3;
}

export type JointKind = "fixed" | "revolute" | "prismatic" | "screw" | "universal" | "spherical" | "free";

/** One thing to draw. Bodies are numbered as in the layout, points and frames as in the scene. */
export type Shape =
  | { kind: "rod"; body: number; from: number; to: number; radius: number }
  | { kind: "mass"; body: number; at: number; radius: number }
  | { kind: "inertia"; body: number; centre: Vec3; rotation: Quaternion; edges: Vec3 }
  | { kind: "joint"; body: number; joint: JointKind; from: number; to: number; axes: Axis[]; driven: boolean }
  | { kind: "pivot"; at: number }
  | { kind: "cable"; name: string; through: number[] }
  | { kind: "pin"; name: string; between: [number, number] }
  | { kind: "plane"; name: string; at: number; on: number; normal: Axis }
  | { kind: "spring"; between: [number, number] }
  | { kind: "damper"; between: [number, number] }
  | { kind: "beam"; between: [number, number]; axes: [Axis, Axis]; length: number }
  | { kind: "sphere"; centre: number; radius: number }
  | { kind: "line"; through: number[] }
  | { kind: "point"; at: number };

/** Where everything is in one state. */
export interface Poses {
  /** Three numbers for each point, m. */
  points: Float32Array;
  /** Three numbers for each frame, m. */
  framePositions: Float32Array;
  /** Four numbers for each frame: w x y z. */
  frameRotations: Float32Array;
  /** For each body, its kinetic energy over the largest shown, 0 … 1: colours molecules. */
  heat?: Float32Array;
}

/** Three numbers for each of two corners. */
export interface Box {
  low: Vec3;
  high: Vec3;
}

// What a run came through, for plots: rows of numbers, thinned evenly when they become too many.

/** Rows of equal length; the first number of a row is its time. */
export class Track {
  readonly columns: string[];
  private data: Float64Array;
  private count = 0;
  /** Of so many rows that come, one is kept in memory. */
  private stride = 1;
  private skipped = 0;

  constructor(
    columns: string[],
    private readonly most = 6000,
  ) {
    this.columns = columns;
    this.data = new Float64Array(columns.length * most);
  }

  get length(): number {
    return this.count;
  }

  clear(): void {
    this.count = 0;
    this.stride = 1;
    this.skipped = 0;
  }

  /** The time of the last row. */
  get end(): number {
    return this.count > 0 ? (this.data[(this.count - 1) * this.columns.length] ?? 0) : -Infinity;
  }

  /** Takes in rows, one after the other. Those of times that were there already are left out. */
  push(rows: ArrayLike<number>): void {
    const width = this.columns.length;
    for (let start = 0; start + width <= rows.length; start += width) {
      if ((rows[start] ?? 0) <= this.end) continue;
      this.skipped += 1;
      if (this.skipped < this.stride && this.count > 0) continue;
      this.skipped = 0;
      if (this.count === this.most) this.thin();
      for (let k = 0; k < width; k += 1) this.data[this.count * width + k] = rows[start + k] ?? NaN;
      this.count += 1;
    }
  }

  column(name: string): Float64Array {
    const [width, at] = [this.columns.length, this.columns.indexOf(name)];
    const values = new Float64Array(this.count);
    for (let row = 0; row < this.count; row += 1) values[row] = at < 0 ? NaN : (this.data[row * width + at] ?? NaN);
    return values;
  }

  row(index: number): Float64Array {
    const width = this.columns.length;
    return this.data.subarray(index * width, (index + 1) * width);
  }

  private thin(): void {
    const width = this.columns.length;
    const half = Math.ceil(this.count / 2);
    for (let row = 1; row < half; row += 1) this.data.copyWithin(row * width, 2 * row * width, (2 * row + 1) * width);
    this.count = half;
    this.stride *= 2;
  }
}

/** The latest places of a run, to draw it between two steps: a parabola through three of them. */
export class Between<Pose extends { t: number }> {
  private readonly last: Pose[] = [];

  constructor(private readonly arrays: (pose: Pose) => Float32Array[]) {}

  reset(pose: Pose): void {
    this.last.length = 0;
    this.last.push(pose);
  }

  push(pose: Pose): void {
    if (this.last.at(-1)?.t === pose.t) this.last.pop();
    this.last.push(pose);
    if (this.last.length > 3) this.last.shift();
  }

  /** The arrays at a time; that of the last array are quaternions w x y z, which may have changed their sign. */
  at(t: number): Float32Array[] | undefined {
    const newest = this.last.at(-1);
    if (newest === undefined) return undefined;
    if (t >= newest.t || this.last.length < 2) return this.arrays(newest);
    const times = this.last.map((pose) => pose.t);
    const weights = times.map((own, k) => times.reduce((w, other, j) => (j === k ? w : (w * (t - other)) / (own - other)), 1));
    const all = this.last.map(this.arrays);
    return this.arrays(newest).map((array, which, { length }) => {
      const mixed = new Float32Array(array.length);
      const quaternions = which === length - 1;
      all.forEach((arrays, k) => add(mixed, arrays[which] ?? array, weights[k] ?? 0, quaternions ? array : undefined));
      if (quaternions) normalise(mixed);
      return mixed;
    });
  }
}

function add(sum: Float32Array, part: Float32Array, weight: number, align: Float32Array | undefined): void {
  for (let k = 0; k < sum.length; k += 4) {
    let sign = 1;
    if (align) {
      let dot = 0;
      for (let j = k; j < k + 4; j += 1) dot += (part[j] ?? 0) * (align[j] ?? 0);
      sign = dot < 0 ? -1 : 1;
    }
    for (let j = k; j < Math.min(k + 4, sum.length); j += 1) sum[j] = (sum[j] ?? 0) + sign * weight * (part[j] ?? 0);
  }
}

function normalise(quaternions: Float32Array): void {
  for (let k = 0; k < quaternions.length; k += 4) {
    const size = Math.hypot(...quaternions.subarray(k, k + 4)) || 1;
    for (let j = k; j < k + 4; j += 1) quaternions[j] = (quaternions[j] ?? 0) / size;
  }
}

// What was packed by LZMA, which makes the engine a quarter smaller than gzip does, and which browsers cannot unpack.
// Follows the specification of Igor Pavlov's LZMA SDK (public domain), https://www.7-zip.org/sdk.html; `build.mjs` packs.
// Plain JavaScript, so that node can read a built page with it.
//
//   header: lc + 9 (lp + 5 pb), size of the dictionary (4 bytes), size of the whole (8 bytes); then the range coder's
//   bit:    bound = (range >> 11) p;  code < bound: 0, p grows;  else: 1, p shrinks

/** Probabilities of 0, of 2048, and where they start for each question; lengths have their own of both kinds. */
const [MATCH, REP, REP0, REP1, REP2, REP0_LONG, SLOT, SPECIAL, ALIGN, LENGTH, REP_LENGTH, LITERAL] =
  [0, 192, 204, 216, 228, 240, 432, 688, 816, 832, 1346, 1860];

/**
 * What was packed, as it was.
 * @param {Uint8Array} packed
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function unpack(packed) {
  const size = new DataView(packed.buffer, packed.byteOffset).getUint32(5, true);
  const properties = packed[0];
  const [lc, lp, pb] = [properties % 9, Math.floor(properties / 9) % 5, Math.floor(properties / 45)];
  const out = new Uint8Array(size);
  const p = new Uint16Array(LITERAL + (0x300 << (lc + lp))).fill(1024);
  let at = 18; // behind the first five bytes of the coder, of which one is zero
  // Range and code; in an array, because above 2³⁰ variables of their own would be numbers on the heap.
  const coder = new Uint32Array([0xffffffff, new DataView(packed.buffer, packed.byteOffset).getUint32(14)]);

  /** Answers one question after the other until a node of the tree is reached: most of the work is done here. */
  function descend(k, node, end) {
    let range = coder[0];
    let code = coder[1];
    while (node < end) {
      const probability = p[k + node];
      const bound = Math.imul(range >>> 11, probability) >>> 0;
      if (code < bound) {
        range = bound;
        p[k + node] = probability + ((2048 - probability) >> 5);
        node <<= 1;
      } else {
        range = (range - bound) >>> 0;
        code = (code - bound) >>> 0;
        p[k + node] = probability - (probability >> 5);
        node = (node << 1) | 1;
      }
      if (range < 0x1000000) {
        range = (range << 8) >>> 0;
        code = ((code << 8) | packed[at++]) >>> 0;
      }
    }
    coder[0] = range;
    coder[1] = code;
    return node;
  }
  function bit(k) {
    return descend(k - 1, 1, 2) & 1;
  }
  /** Some bits, the highest first. */
  function tree(k, bits) {
    return descend(k, 1, 1 << bits) - (1 << bits);
  }
  /** Some bits, the lowest first. */
  function reversed(k, bits) {
    let [found, node] = [0, 1];
    for (let n = 0; n < bits; n += 1) {
      const b = bit(k + node);
      node = (node << 1) | b;
      found |= b << n;
    }
    return found;
  }
  /** Some bits that are as likely 0 as 1. */
  function direct(bits) {
    let found = 0;
    for (let n = 0; n < bits; n += 1) {
      const half = coder[0] >>> 1;
      const b = coder[1] >= half ? 1 : 0;
      coder[0] = half;
      if (b === 1) coder[1] -= half;
      if (half < 0x1000000) {
        coder[0] = half << 8;
        coder[1] = (coder[1] << 8) | packed[at++];
      }
      found = (found << 1) | b;
    }
    return found;
  }
  /** How many bytes are copied, less two. */
  function lengthOf(k, position) {
    if (bit(k) === 0) return tree(k + 2 + (position << 3), 3);
    if (bit(k + 1) === 0) return 8 + tree(k + 130 + (position << 3), 3);
    return 16 + tree(k + 258, 8);
  }

  let [done, state, a, b, c, d] = [0, 0, 0, 0, 0, 0]; // a, b, c, d: the last four distances, less one
  const [positions, literals] = [(1 << pb) - 1, (1 << lp) - 1];
  while (done < size) {
    const position = done & positions;
    if (bit(MATCH + (state << 4) + position) === 0) {
      const before = done > 0 ? out[done - 1] : 0;
      const k = LITERAL + 0x300 * (((done & literals) << lc) + (before >> (8 - lc)));
      let symbol = 1;
      if (state >= 7) {
        let match = out[done - a - 1];
        while (symbol < 0x100) {
          const known = (match >> 7) & 1;
          match <<= 1;
          const found = bit(k + ((1 + known) << 8) + symbol);
          symbol = (symbol << 1) | found;
          if (known !== found) break;
        }
      }
      out[done++] = descend(k, symbol, 0x100);
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let length;
    if (bit(REP + state) === 0) {
      [d, c, b] = [c, b, a];
      length = lengthOf(LENGTH, position);
      state = state < 7 ? 7 : 10;
      const slot = tree(SLOT + (Math.min(length, 3) << 6), 6);
      a = slot;
      if (slot >= 4) {
        const bits = (slot >> 1) - 1;
        a = (2 | (slot & 1)) << bits;
        if (slot < 14) a += reversed(SPECIAL + a - slot, bits);
        else a += (direct(bits - 4) << 4) + reversed(ALIGN, 4);
      }
      if (a === -1) break; // said to be the end
    } else {
      if (bit(REP0 + state) === 0) {
        if (bit(REP0_LONG + (state << 4) + position) === 0) {
          state = state < 7 ? 9 : 11;
          out[done] = out[done - a - 1];
          done += 1;
          continue;
        }
      } else if (bit(REP1 + state) === 0) [a, b] = [b, a];
      else if (bit(REP2 + state) === 0) [a, b, c] = [c, a, b];
      else [a, b, c, d] = [d, a, b, c];
      length = lengthOf(REP_LENGTH, position);
      state = state < 7 ? 8 : 11;
    }
    for (let end = done + length + 2; done < end; done += 1) out[done] = out[done - a - 1];
  }
  return out;
}

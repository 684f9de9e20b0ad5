/** What was packed, as it was. */
export function unpack(packed: Uint8Array): Uint8Array<ArrayBuffer>;

export function words(all: (string | number)[]): Uint8Array;

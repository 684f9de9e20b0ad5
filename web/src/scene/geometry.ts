// Solids and lines that three.js does not have.
import { BufferAttribute, BufferGeometry, CatmullRomCurve3, TubeGeometry, Vector3 } from "three";

/** A spring of unit height along y, whose ends are on the axis. */
export function helix(pieces: number): BufferGeometry {
  const turns = 8, straight = 0.08;
  // Stretched along y when it is drawn, so that its wire is made thinner there: a spring is about so many radii long.
  const tall = 12;
  const count = 10 * turns;
  const places = Array.from({ length: count + 1 }, (_, k) => {
    const t = k / count;
    const inner = Math.min(Math.max((t - straight) / (1 - 2 * straight), 0), 1);
    const radius = Math.min(1, 12 * inner, 12 * (1 - inner));
    const angle = 2 * Math.PI * turns * inner;
    return new Vector3(radius * Math.cos(angle), tall * (t - 0.5), radius * Math.sin(angle));
  });
  return new TubeGeometry(new CatmullRomCurve3(places), turns * pieces, 0.16, 6).scale(1, 1 / tall, 1);
}

/** Circles of latitude and longitude, every 15°. */
export function graticule(radius: number): BufferGeometry {
  const places: number[] = [];
  const steps = 72, every = Math.PI / 12;
  const put = (lat: number, lon: number) =>
    places.push(radius * Math.cos(lat) * Math.cos(lon), radius * Math.cos(lat) * Math.sin(lon), radius * Math.sin(lat));
  for (let k = 0; k < steps; k++) {
    const a = (2 * Math.PI * k) / steps, b = (2 * Math.PI * (k + 1)) / steps;
    for (let lat = -5; lat <= 5; lat++) put(lat * every, a), put(lat * every, b);
    // Meridians go over both poles.
    for (let lon = 0; lon < 12; lon++) put(a, lon * every), put(b, lon * every);
  }
  return new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(places), 3));
}

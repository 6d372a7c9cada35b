/** Drawings of what is recorded beside words: learners' records, and what a device feels. */

/** A repeatable sequence of numbers from 0 to 1 (mulberry32, public domain). */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const round = (value: number) => Math.round(value * 10) / 10;

/** The sessions of many learners, a lane each, as one path: dashes of different length. */
export function lanesPath(lanes: number, width: number, step: number, skip: number, seed = 5): string {
  const next = sequence(seed);
  return Array.from({ length: lanes }, (_, lane) => {
    const y = 10 + lane * step;
    let path = "";
    for (let x = 20 + next() * 40; x < width; ) {
      const length = 12 + next() * 44;
      path += `M${round(x)} ${y}h${round(Math.min(length, width - x))}`;
      x += length + 30 + next() * 60;
    }
    return lane === skip ? "" : path;
  }).join("");
}

/** One learner's lane. */
export function lanePath(lane: number, width: number, step: number, seed = 9): string {
  const next = sequence(seed);
  let path = "";
  for (let x = 38; x < width - 20; ) {
    const length = 34 + next() * 22;
    path += `M${round(x)} ${10 + lane * step}h${round(Math.min(length, width - x))}`;
    x += length + 34 + next() * 30;
  }
  return path;
}

/** Chest compressions as a manikin reports them: `depth` units from the rest line, a little uneven like a person's. */
export function compressionsPath(width: number, rest: number, depth: number, period = 34, seed = 3): string {
  const next = sequence(seed);
  let path = `M0 ${rest}`;
  for (let x = 0; x < width; x += period) {
    const top = round(rest - depth * (0.82 + next() * 0.26));
    const [a, b, c, d] = [0.2, 0.24, 0.44, 0.62].map((part) => round(x + period * part));
    path += `C${a} ${rest} ${b} ${top} ${c} ${top}S${d} ${rest} ${round(x + period)} ${rest}`;
  }
  return path;
}

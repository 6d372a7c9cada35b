import type { Surroundings } from "./calls";

/** This page's browser. */
export const browser = (): Surroundings => ({
  origin: globalThis.location?.origin ?? "",
  fetch: (input, init) => fetch(input, init),
  wait: (milliseconds) => new Promise((done) => setTimeout(done, milliseconds)),
});

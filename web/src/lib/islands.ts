/** Loads one kind of island and makes the element alive. */
export type Load = (root: HTMLElement) => Promise<void>;

const SIGNS = ["pointerenter", "focusin", "touchstart"] as const;

/**
 * Makes the islands of a page wait for the visitor. The first sign of interest
 * loads an island; a click that comes before it is alive is held back and
 * repeated, or answered by `complain` when the island can't be loaded. An island
 * marked with a running session wakes at once.
 */
export function awaitVisitors(
  page: ParentNode,
  loaders: Record<string, Load>,
  wakeNow: (root: HTMLElement) => boolean,
  complain: (root: HTMLElement) => void,
): void {
  for (const root of page.querySelectorAll<HTMLElement>("[data-island]")) {
    const load = loaders[root.dataset.island ?? ""];
    if (load) {
      awaitVisitor(root, load, wakeNow(root), () => complain(root));
    }
  }
}

function awaitVisitor(root: HTMLElement, load: Load, now: boolean, complain: () => void): void {
  let alive: Promise<void> | undefined;
  const wake = () => {
    alive ??= load(root).then(() => root.removeEventListener("click", hold, { capture: true }));
    // A failed load (the network is gone) may be tried again with the next sign.
    alive.catch(() => {
      alive = undefined;
    });
    return alive;
  };
  const hold = (event: Event) => {
    const target = event.target instanceof Element ? event.target.closest<HTMLElement>("button") : null;
    if (!target) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    wake().then(() => target.click(), complain);
  };
  root.addEventListener("click", hold, { capture: true });
  for (const sign of SIGNS) {
    root.addEventListener(sign, () => void wake().catch(() => {}), { once: true, passive: true });
  }
  if (now) {
    void wake().catch(() => {});
  }
}

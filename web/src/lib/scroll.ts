/** Space left above an element that was scrolled to, in pixels. */
const ABOVE = 80;
/** Wait before scrolling to it, in milliseconds. */
const DELAY = 100;

/**
 * What happens on every change of route or hash: the page is at its top, and
 * with a hash it then scrolls smoothly to the element of that id.
 */
export function scrollToHash(view: Window): void {
  view.scrollTo({ top: 0, behavior: "instant" });
  const target = targetOf(view);
  if (target) {
    view.setTimeout(() => scrollTo(view, target), DELAY);
  }
}

/** Links to a section of the page that is open scroll there smoothly. */
export function scrollInPage(view: Window, event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const plainClick = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link?.hash || !plainClick || link.origin !== view.location.origin || link.pathname !== view.location.pathname) {
    return;
  }
  const target = view.document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (!target) {
    return;
  }
  event.preventDefault();
  if (view.location.hash !== link.hash) {
    view.history.pushState(null, "", link.hash);
  }
  scrollTo(view, target);
}

function targetOf(view: Window): HTMLElement | null {
  const id = decodeURIComponent(view.location.hash.slice(1));
  return id ? view.document.getElementById(id) : null;
}

function scrollTo(view: Window, target: HTMLElement): void {
  const calm = view.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const top = target.getBoundingClientRect().top + view.scrollY - ABOVE;
  view.scrollTo({ top, behavior: calm ? "instant" : "smooth" });
  // Whoever reads with the keyboard goes on from there.
  target.setAttribute("tabindex", "-1");
  target.focus({ preventScroll: true });
}

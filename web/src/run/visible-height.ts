import type { RefCallback } from "react";

/**
 * Ref for a page that should be as high as what is really visible: keeps that
 * height in `--visible-height` of the document. An on-screen keyboard of iOS covers
 * the page without resizing it; only the visual viewport knows.
 */
export const followVisibleHeight: RefCallback<HTMLElement> = (element) => {
  const viewport = window.visualViewport;
  if (!element || !viewport) {
    return;
  }
  const follow = () =>
    document.documentElement.style.setProperty("--visible-height", `${viewport.height * viewport.scale}px`);
  viewport.addEventListener("resize", follow);
  return () => viewport.removeEventListener("resize", follow);
};

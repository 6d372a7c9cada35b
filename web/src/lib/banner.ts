/** Where the dismissal is kept for the browser session; `early.ts` looks there. */
const KEY = "demo-banner-dismissed";
/** The mark on `<html>` by which the style sheet hides the banner. */
const MARK = "bannerDismissed";

/** Dismisses the banner for the browser session. */
export function mindBanner(page: Document, shelf: () => Storage): void {
  page.addEventListener("click", (event) => {
    if (!(event.target instanceof Element && event.target.closest("[data-banner-dismiss]"))) {
      return;
    }
    page.documentElement.dataset[MARK] = "";
    page.querySelector<HTMLElement>("h1")?.focus();
    try {
      shelf().setItem(KEY, "yes");
    } catch {
      // No storage: dismissed on this page only.
    }
  });
}

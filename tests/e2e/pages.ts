import type { Page } from "@playwright/test";

/** Every public page. */
export const ROUTES = [
  "/",
  "/platform",
  "/industries/healthcare",
  "/industries/airlines",
  "/industries/corporate",
  "/try/healthcare",
  "/privacy",
  "/partners",
  "/contact",
] as const;

/** Brings everything that waits for the visitor to come near. */
export async function seeAll(page: Page): Promise<void> {
  await page.evaluate(async () => {
    // What watches the scrolling hears of it with a frame, and a busy machine draws few.
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    for (let y = 0; y < document.documentElement.scrollHeight; y += 500) {
      scrollTo({ top: y, behavior: "instant" });
      await frame();
    }
    scrollTo({ top: 0, behavior: "instant" });
  });
  await page.waitForLoadState("networkidle");
}

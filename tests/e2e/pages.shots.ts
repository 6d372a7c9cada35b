import { ROUTES, seeAll } from "./pages.ts";
import { test } from "./simora.ts";

// `npm run screenshots` writes the pictures in docs/screenshots.

const FOLDER = "../../docs/screenshots/pages";

for (const colorScheme of ["light", "dark"] as const) {
  for (const [width, height, deviceScaleFactor] of [
    [1440, 900, 0.6],
    [390, 844, 1],
  ] as const) {
    test.describe(`${width} ${colorScheme}`, () => {
      test.use({ viewport: { width, height }, deviceScaleFactor, colorScheme });
      test("every page", async ({ page }) => {
        test.slow();
        await page.emulateMedia({ reducedMotion: "reduce", colorScheme });
        const shoot = (name: string, fullPage = true) =>
          page.screenshot({
            path: `${FOLDER}/${name}-${width}-${colorScheme}.jpg`,
            type: "jpeg",
            quality: 62,
            fullPage,
            animations: "disabled",
          });
        for (const route of [...ROUTES, "/nowhere"]) {
          await page.goto(route);
          await seeAll(page);
          await page.evaluate(() => document.fonts.ready);
          await shoot(route === "/" ? "home" : route === "/nowhere" ? "not-found" : route.slice(1).replace("/", "-"));
        }
        await page.goto("/");
        await page.getByRole("button", { name: "Try a Scenario" }).click();
        await page.waitForLoadState("networkidle");
        await shoot("scenario-dialog", false);
      });
    });
  }
}

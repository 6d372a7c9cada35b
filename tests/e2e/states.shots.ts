import { MESSAGES, PAGE, RunOnPage, WIDGET } from "./run.ts";
import { expect, test } from "./simora.ts";

// `npm run screenshots` writes the pictures in docs/screenshots.

const FOLDER = "../../docs/screenshots";

for (const surface of [PAGE, WIDGET]) {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    test(`${surface.name} at ${width}`, async ({ page }) => {
      const shoot = (state: string) =>
        page.screenshot({
          path: `${FOLDER}/${surface.name}-${state}-${width}.jpg`,
          type: "jpeg",
          quality: 70,
          animations: "disabled",
        });
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ reducedMotion: "reduce" });
      const run = new RunOnPage(page, surface);
      await page.goto(surface.path);
      await page.evaluate(() => document.fonts.ready);
      await shoot("start");
      await run.start();
      if (surface.name === "widget") {
        await page.locator("[data-island]").scrollIntoViewIfNeeded();
      }
      await run.say(MESSAGES[0]);
      await run.say(MESSAGES[1]);
      await run.say(MESSAGES[2]);
      await shoot("chat");
      let judge = () => {};
      const judged = new Promise<void>((go) => {
        judge = go;
      });
      await page.route("**/session-complete", async (route) => {
        await judged;
        await route.continue();
      });
      await page.getByRole("button", { name: "End Scenario Early" }).click();
      await shoot("question");
      await page.getByRole("alertdialog").getByRole("button", { name: "End Scenario" }).click();
      await expect(page.getByText("Analyzing your performance...")).toBeVisible();
      await shoot("analysing");
      judge();
      await expect(run.gate).toBeVisible();
      await shoot("gate");
      await run.mail("sam@hospital.example");
      await expect(page.getByText("Overall score, of 100")).toBeVisible();
      await page.getByRole("button", { name: "Dismiss", exact: true }).click();
      await shoot("report");
    });
  }
}

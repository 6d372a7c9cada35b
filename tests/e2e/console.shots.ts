import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Simora, test } from "./simora.ts";

// `npm run screenshots` writes the pictures in docs/screenshots.

const FOLDER = "../../docs/screenshots/console";
const ADMIN = { email: "admin@simora.example", password: "correct horse battery staple" };

for (const [width, height, deviceScaleFactor] of [
  [1440, 900, 0.6],
  [390, 844, 1],
] as const) {
  test.describe(`${width}`, () => {
    test.use({ viewport: { width, height }, deviceScaleFactor, reducedMotion: "reduce" });
    test("the console with played runs", async ({ browser }) => {
      test.slow();
      const data = mkdtempSync(join(tmpdir(), "simora-demo-"));
      execFileSync(resolve(import.meta.dirname, "../../bin/simora"), ["demo", "fill"], { env: { ...process.env, SIMORA_DATA: data } });
      const simora = await Simora.start({ SIMORA_ADMIN_EMAIL: ADMIN.email, SIMORA_ADMIN_PASSWORD: ADMIN.password }, data);
      const page = await browser.newPage({ baseURL: simora.url, viewport: { width, height }, deviceScaleFactor, reducedMotion: "reduce" });
      const shoot = (name: string) => page.screenshot({ path: `${FOLDER}/${name}-${width}.jpg`, type: "jpeg", quality: 62, fullPage: true, animations: "disabled" });
      await page.goto("/admin/login");
      await page.getByLabel("Email").fill(ADMIN.email);
      await shoot("login");
      await page.getByLabel("Password").fill(ADMIN.password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("heading", { name: "Dashboard" }).waitFor();
      for (const [name, path] of [
        ["dashboard", "/admin"],
        ["scenarios", "/admin/scenarios"],
        ["scenario", "/admin/scenarios/new"],
        ["sessions", "/admin/sessions"],
        ["media", "/admin/media-gallery"],
        ["contact", "/admin/contact"],
        ["health", "/admin/health"],
        ["audit", "/admin/audit"],
        ["account", "/admin/account"],
        ["integrations", "/admin/integrations"],
      ] as const) {
        await page.goto(path);
        await page.waitForLoadState("networkidle");
        await shoot(name);
      }
      await page.goto("/admin/sessions?status=complete&sort=score_overall");
      await page.getByRole("table").getByRole("link").first().click();
      await page.getByRole("heading", { name: "Raw log" }).waitFor();
      await shoot("session");
      await page.close();
      await simora.dispose();
    });
  });
}

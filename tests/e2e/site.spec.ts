import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { ROUTES, seeAll } from "./pages.ts";
import { MESSAGES, PAGE, RunOnPage, WIDGET } from "./run.ts";
import { expect, test } from "./simora.ts";

test("every page answers, and any other path is the 404 page", async ({ page, simora }) => {
  for (const route of ROUTES) {
    const response = await page.goto(route);
    expect(response?.status(), route).toBe(200);
    await expect(page.locator("h1"), route).toHaveCount(1);
    expect(await page.title(), route).toContain("Simora");
  }
  const response = await page.goto("/no/such/page");
  expect(response?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "Oops! Page not found" })).toBeVisible();
  expect(simora.log.some((line) => line.includes("page not found") && line.includes("/no/such/page"))).toBe(true);
  await page.getByRole("link", { name: "Return to Home" }).click();
  await expect(page).toHaveURL(`${simora.url}/`);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the pages are there", async ({ page }) => {
    await page.goto("/industries/healthcare");
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.getByText("2000+")).toBeVisible();
    await page.getByRole("navigation", { name: "Main" }).getByText("Platform").click();
    await page.getByRole("link", { name: "Simpelo" }).first().click();
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Three technologies");
  });
});

test("a hash scrolls to its section and leaves 80 px above", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 300 });
  await page.goto("/");
  const footer = page.getByRole("contentinfo");
  await footer.getByRole("link", { name: "Simpelo" }).click();
  await expect(page).toHaveURL(/platform#simpelo/);
  const top = async (id: string) => Math.round((await page.locator(`#${id}`).boundingBox())?.y ?? -1);
  await expect.poll(() => top("simpelo")).toBe(80);
  await footer.getByRole("link", { name: "SimCloud" }).click();
  await expect.poll(() => top("simcloud")).toBe(80);
  await page.goBack();
  await expect.poll(() => top("simpelo")).toBe(80);
  await page.goto("/privacy");
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

test("the scenario dialog opens, closes and leads on", async ({ page }) => {
  await page.goto("/");
  const dialog = page.getByRole("dialog", { name: "Choose Your Training Scenario" });
  await page.getByRole("banner").getByRole("button", { name: "Try Demo" }).click();
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: "Try a Scenario" }).click();
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: "Try a Scenario" }).click();
  await page.mouse.click(4, 4);
  await expect(dialog).toBeHidden();
  await page.getByRole("button", { name: "Try a Scenario" }).click();
  await dialog.getByRole("link", { name: /Try Cabin Crew Scenario/ }).click();
  await expect(page).toHaveURL(/industries\/airlines/);
});

test("menus by keyboard", async ({ page }) => {
  await page.goto("/");
  const platform = page.getByRole("navigation", { name: "Main" }).locator("summary", { hasText: "Platform" });
  const first = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "SimCloud" });
  await platform.focus();
  await page.keyboard.press("Enter");
  await expect(first).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(first).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(first).toBeHidden();
  await expect(platform).toBeFocused();
});

test("on a phone the menu holds the same entries", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/");
  await expect(page.getByRole("navigation", { name: "Main" })).toBeHidden();
  await page.locator("summary[aria-label=Menu]").click();
  const menu = page.getByRole("navigation", { name: "Menu" });
  for (const name of ["SimCloud", "Simpelo", "SimPulse", "Healthcare", "Airlines", "Corporate / Sales", "Privacy & Security", "Partner With Us", "Contact", "Book Demo"]) {
    await expect(menu.getByRole("link", { name, exact: true })).toBeVisible();
  }
  await menu.getByRole("button", { name: "Try Demo" }).click();
  await expect(page.getByRole("dialog", { name: "Choose Your Training Scenario" })).toBeVisible();
});

test("the demo banner is dismissed for the browser session", async ({ page, context }) => {
  await page.goto("/industries/healthcare");
  const banner = page.getByRole("note");
  await expect(banner).toBeVisible();
  await expect(banner.getByText(/limited to 8 interactions/)).toHaveCount(4);
  await banner.getByRole("button", { name: "Dismiss notice" }).click();
  await expect(banner).toBeHidden();
  for (const path of ["/try/healthcare", "/industries/airlines"]) {
    await page.goto(path);
    await expect(banner).toBeHidden();
  }
  const other = await context.newPage(); // another tab is another session
  await other.goto("/industries/healthcare");
  await expect(other.getByRole("note")).toBeVisible();
});

for (const [name, width, scale] of [
  ["360 px", 360, 1],
  ["390 px", 390, 1],
  ["768 px", 768, 1],
  ["1024 px", 1024, 1],
  ["1440 px at 200 % zoom", 720, 2],
  ["2560 px", 2560, 1],
] as const) {
  test.describe(name, () => {
    test.use({ viewport: { width, height: 800 }, deviceScaleFactor: scale });
    test("nothing scrolls sideways, and every heading is there", async ({ page }) => {
      for (const route of [...ROUTES, "/nowhere"]) {
        await page.goto(route);
        expect(await page.evaluate(() => document.documentElement.scrollWidth), route).toBeLessThanOrEqual(width);
        for (const heading of await page.locator("h1:visible, h2:visible").all()) {
          const box = await heading.boundingBox();
          expect((box?.x ?? 0) + (box?.width ?? 0), `${route}: ${await heading.innerText()}`).toBeLessThanOrEqual(width);
        }
      }
    });
  });
}

test("with reduced motion nothing moves", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const route of ROUTES) {
    await page.goto(route);
    await seeAll(page);
    const running = await page.evaluate(() => document.getAnimations().filter((a) => a.playState === "running").length);
    expect(running, route).toBe(0);
  }
});

test("a whole page can be walked by keyboard, with the focus always in sight", async ({ page }) => {
  for (const route of ["/", "/platform", "/contact"]) {
    await page.goto(route);
    const stops = new Set<string>();
    for (let i = 0; i < 80; i++) {
      await page.keyboard.press("Tab");
      const stop = await page.evaluate(() => {
        const element = document.activeElement;
        if (!element || element === document.body) return null;
        const shown = element.matches("input[type=radio]") ? (element.closest("label") ?? element) : element;
        const box = shown.getBoundingClientRect();
        return {
          name: `${element.tagName} ${element.getAttribute("href") ?? element.id ?? ""} ${element.textContent?.trim().slice(0, 30)}`,
          visible: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
        };
      });
      if (!stop) break;
      stops.add(stop.name);
      expect(stop.visible, `${route}: ${stop.name}`).toBe(true);
    }
    expect([...stops].some((name) => name.includes("Corporate Demo")), `${route}: the footer was reached`).toBe(true);
  }
});

test("on paper: no navigation, dark text, everything on the sheet", async ({ page }) => {
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.setViewportSize({ width: 794, height: 1123 });
  for (const route of ["/", "/platform", "/privacy", "/partners"]) {
    await page.goto(route);
    await expect(page.getByRole("navigation", { name: "Main" })).toBeHidden();
    const [text, ground] = await page.evaluate(() => {
      const style = getComputedStyle(document.body);
      return [style.color, style.backgroundColor];
    });
    expect(text, route).toBe("rgb(13, 30, 33)");
    expect(["rgba(0, 0, 0, 0)", "rgb(255, 255, 255)"], route).toContain(ground);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), route).toBeLessThanOrEqual(794);
  }
});

test("without JavaScript the scenario dialog opens all the same, where the browser knows how", async ({ browser, simora }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(simora.url);
  await page.getByRole("banner").getByRole("button", { name: "Try Demo" }).click();
  const dialog = page.getByRole("dialog", { name: "Choose Your Training Scenario" });
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(dialog).toBeHidden();
  await context.close();
});

async function violations(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).analyze();
  return found.violations.flatMap((v) => v.nodes.map((node) => `${v.id}: ${node.target.join(" ")}`));
}

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test("no page breaks an accessibility rule", async ({ page }) => {
      for (const route of [...ROUTES, "/nowhere"]) {
        await page.goto(route);
        await seeAll(page);
        expect(await violations(page), route).toEqual([]);
      }
      await page.goto("/contact");
      await page.getByRole("button", { name: "Send message" }).click();
      await expect(page.getByText("Enter your name")).toBeVisible();
      expect(await violations(page), "contact form with mistakes").toEqual([]);
      await page.goto("/");
      await page.getByRole("button", { name: "Try a Scenario" }).click();
      expect(await violations(page), "scenario dialog").toEqual([]);
    });

    for (const surface of [PAGE, WIDGET]) {
      test(`no state of the ${surface.name} breaks one`, async ({ page }) => {
        await page.emulateMedia({ reducedMotion: "reduce", colorScheme });
        const run = new RunOnPage(page, surface);
        await run.start();
        await run.say(MESSAGES[0]);
        expect(await violations(page), "chat").toEqual([]);
        await page.getByRole("button", { name: "End Scenario Early" }).click();
        expect(await violations(page), "question").toEqual([]);
        await page.getByRole("alertdialog").getByRole("button", { name: "End Scenario" }).click();
        await expect(run.gate).toBeVisible();
        expect(await violations(page), "gate").toEqual([]);
        await run.mail("sam@hospital.example");
        await expect(page.getByText("Overall score, of 100")).toBeVisible();
        expect(await violations(page), "report").toEqual([]);
      });
    }
  });
}

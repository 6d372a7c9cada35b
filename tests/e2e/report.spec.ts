import { writeFile } from "node:fs/promises";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { MESSAGES, PAGE, RunOnPage, type Surface, WIDGET } from "./run.ts";
import { expect, test } from "./simora.ts";

const HARMFUL = "Calm down, stop whining.";

/** Plays these messages to the unlocked report. */
async function report(page: Page, surface: Surface, messages: readonly string[]): Promise<RunOnPage> {
  const run = new RunOnPage(page, surface);
  await run.start();
  for (const message of messages) {
    await run.say(message);
  }
  await run.endEarly();
  await run.mail("sam@hospital.example");
  await expect(page.getByText("Overall score, of 100")).toBeVisible();
  return run;
}

async function again(page: Page, surface: Surface, messages: readonly string[]): Promise<RunOnPage> {
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("button", { name: "Start Scenario" })).toBeVisible();
  return report(page, surface, messages);
}

test("each message shows what it earned or cost, with the words that count", async ({ page }) => {
  await report(page, PAGE, [MESSAGES[0], HARMFUL]);
  const turns = page.getByRole("region", { name: "Your run, turn by turn" }).locator("ol > li");
  await expect(turns).toHaveCount(2);
  const [first, second] = [turns.nth(0), turns.nth(1)];
  await expect(first.getByRole("heading", { name: "Turn 1" })).toBeVisible();
  await expect(first.locator(".turn-head b")).toHaveText(/^\+\d+ points$/);
  await expect(first.locator("mark").filter({ hasText: "12-lead ECG" })).toHaveCount(1);
  await expect(first.getByRole("listitem").filter({ hasText: "Met" }).first()).toContainText("with the words “");
  await expect(second.locator(".turn-head b")).toHaveText(/^\u2212\d+ points$/);
  await expect(second.locator("mark.mark-harmed")).not.toHaveCount(0);
  await expect(second.getByRole("listitem").filter({ hasText: "Harmful" })).not.toHaveCount(0);
  // The scores after each turn add up to the figure above.
  const last = await second.getByText(/^Score \d+$/).innerText();
  expect(last).toBe(`Score ${await page.locator(".report-score strong").innerText()}`);
  await expect(page.getByRole("group", { name: /^Score by turn: \d+, \d+$/ })).toBeVisible();
  // The message itself reads as it was sent.
  const said = await first.locator(".turn-said").evaluate((element) => {
    const copy = element.cloneNode(true) as HTMLElement;
    copy.querySelectorAll("sup, .sr-only").forEach((extra) => extra.remove());
    return copy.textContent;
  });
  expect(said).toBe(MESSAGES[0]);
});

test("the widget folds the turns away until they are asked for", async ({ page }) => {
  await report(page, WIDGET, [MESSAGES[0]]);
  const turns = page.locator(".summary-turns");
  await expect(turns.getByText(MESSAGES[0].slice(0, 8))).toBeHidden();
  await turns.locator("summary").focus();
  await page.keyboard.press("Enter");
  await expect(turns.locator("mark").first()).toBeVisible();
});

for (const surface of [PAGE, WIDGET]) {
  test(`a second attempt is compared with the first (${surface.name})`, async ({ page, context, simora }) => {
    await report(page, surface, [HARMFUL]);
    const compared = page.getByRole("region", { name: "Compared with your last attempt" });
    await expect(compared).toHaveCount(0);
    await expect(page.getByText("your next report is compared with this one")).toBeVisible();
    const before = await page.locator("strong:has(+ span:text-is('Overall score, of 100'))").innerText();

    const run = await again(page, surface, [MESSAGES[0], MESSAGES[1], MESSAGES[2]]);
    const now = await run.overall();
    const change = Number(now) - Number(before);
    await expect(compared.getByRole("row", { name: `Overall ${before} ${now} +${change}` })).toBeVisible();
    await expect(compared.locator(".compare-criteria li")).not.toHaveCount(0);

    await page.reload();
    await expect(compared.getByRole("row", { name: `Overall ${before} ${now} +${change}` })).toBeVisible();

    const kept = await page.evaluate(() => Object.entries(sessionStorage).filter(([name]) => name.startsWith("scenario-attempt:")));
    expect(kept.map(([name]) => name)).toEqual(["scenario-attempt:healthcare-emergency"]);
    expect(JSON.stringify(kept)).not.toMatch(/ECG right now|whining|sam@/);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);

    const other = await context.newPage();
    await other.goto(`${simora.url}${surface.path}`);
    expect(await other.evaluate(() => sessionStorage.length)).toBe(0);
  });
}

test("what is in the storage is not trusted", async ({ page }) => {
  await page.goto(PAGE.path);
  await page.evaluate(() => sessionStorage.setItem("scenario-attempt:healthcare-emergency", '{"overall":"<b>1</b>"}'));
  await report(page, PAGE, [MESSAGES[0]]);
  await expect(page.getByRole("region", { name: "Compared with your last attempt" })).toHaveCount(0);
});

test("on paper there is the report and nothing to press, on two pages", async ({ page }) => {
  await report(page, PAGE, [HARMFUL]);
  await again(page, PAGE, MESSAGES.slice(0, 7));
  let printed = 0;
  await page.exposeFunction("countPrint", () => printed++);
  await page.evaluate(() => {
    window.print = () => void (globalThis as typeof globalThis & { countPrint(): void }).countPrint();
  });
  await page.getByRole("button", { name: "Print" }).click();
  await expect.poll(() => printed).toBe(1);

  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await expect(page.getByRole("button")).toHaveCount(0);
  await expect(page.getByRole("link")).toHaveCount(0);
  await expect(page.locator(".report-letterhead")).toBeVisible();
  expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe("rgb(13, 30, 33)");
  const pdf = await page.pdf({ format: "A4", preferCSSPageSize: true });
  if (process.env.SHOTS) {
    await writeFile(`${process.env.SHOTS}/print.pdf`, pdf);
  }
  expect(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length).toBeLessThanOrEqual(2);
});

for (const colorScheme of ["light", "dark"] as const) {
  for (const surface of [PAGE, WIDGET]) {
    test(`the report breaks no accessibility rule (${surface.name}, ${colorScheme})`, async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await report(page, surface, [HARMFUL]);
      await again(page, surface, [MESSAGES[0], HARMFUL]);
      if (surface === WIDGET) {
        await page.locator(".summary-turns > summary").click();
      }
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        const found = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).analyze();
        expect(found.violations.flatMap((v) => v.nodes.map((node) => `${v.id}: ${node.target.join(" ")}`))).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        if (process.env.SHOTS) {
          const path = `${process.env.SHOTS}/${surface.name}-${width}-${colorScheme}`;
          await page.screenshot({ path: `${path}.png`, fullPage: surface === PAGE });
          await page.locator(surface === PAGE ? ".report-turns" : ".summary-turns").screenshot({ path: `${path}-turns.png` });
          await page.locator(".compare").screenshot({ path: `${path}-compare.png` });
        }
      }
    });
  }
}

test.describe("with the owner's consent", () => {
  test.use({ env: { SIMORA_REPORT_WORDS: "true" } });

  test("the mailed PDF holds what was said", async ({ page, simora }) => {
    await report(page, PAGE, MESSAGES.slice(0, 7));
    const letter = (await simora.letters())[0];
    expect(letter?.text).toContain("The attached PDF is the whole report");
    expect(letter?.text).not.toContain("12-lead ECG right now");
    const file = letter?.attachments[0]?.content;
    expect(file?.subarray(0, 5).toString()).toBe("%PDF-");
    if (process.env.SHOTS && file) {
      await writeFile(`${process.env.SHOTS}/mailed-words.pdf`, file);
    }
  });
});

test("the mailed PDF opens", async ({ page, simora }) => {
  await report(page, PAGE, [MESSAGES[0], HARMFUL]);
  const letter = (await simora.letters())[0];
  expect(letter?.text).toContain("The page\nwhere you finished the scenario shows the same report with your own words");
  const file = letter?.attachments[0];
  expect(file).toMatchObject({ contentType: "application/pdf", filename: "simora-report-healthcare-emergency.pdf" });
  if (process.env.SHOTS && file) {
    await writeFile(`${process.env.SHOTS}/mailed.pdf`, file.content);
  }
});

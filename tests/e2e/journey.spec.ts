import type { Page } from "@playwright/test";
import { MESSAGES, OPENING, PAGE, RunOnPage, WIDGET } from "./run.ts";
import { expect, test } from "./simora.ts";

for (const surface of [PAGE, WIDGET]) {
  test.describe(surface.name, () => {
    test("from the first click to the mailed report", async ({ page, simora }) => {
      const run = new RunOnPage(page, surface);
      await run.start();
      const progress = page.getByRole("progressbar", { name: "Turns" });
      await expect(progress).toHaveAttribute("aria-valuetext", "Turn 1 / 8");
      await expect(page.getByRole("img", { name: /^Rosa Delgado,/ })).toBeVisible();
      await expect(page.getByText("150/95", { exact: false }).first()).toBeVisible();

      await run.say(MESSAGES[0]);
      await expect(progress).toHaveAttribute("aria-valuetext", "Turn 2 / 8");
      await expect(run.input).toHaveValue("");
      await expect(run.input).toBeFocused();

      await run.sayAll(1);
      await expect(run.gate).toBeVisible();
      await expect(run.gate.getByText(surface.complete)).toBeVisible();
      await expect(page.getByText("Overall score, of 100")).toHaveCount(0);

      await run.mail("sam@hospital.example");
      await expect(run.gate).toBeHidden();
      await expect(page.getByText("Overall score, of 100")).toBeVisible();
      const overall = await run.overall();

      const letters = await simora.letters();
      expect(letters).toHaveLength(1);
      const letter = letters[0];
      expect(JSON.stringify(letter?.to)).toContain("sam@hospital.example");
      expect(letter?.text).toContain(`Overall score: ${overall} of 100`);
      expect(letter?.text).toContain(`${simora.url}/contact?reason=demo`);
      expect(letter?.text).not.toContain("I'm Sam");
      expect(letter?.html).toContain(`>${overall}<`);
      const attached = letter?.attachments[0];
      expect(attached).toMatchObject({ contentType: "application/pdf", filename: "simora-report-healthcare-emergency.pdf" });
      expect(attached?.content.subarray(0, 5).toString()).toBe("%PDF-");
    });

    test("ended early, gate closed and opened again", async ({ page }) => {
      const run = new RunOnPage(page, surface);
      await run.start();
      await run.say("Where does it hurt?");

      await page.getByRole("button", { name: "End Scenario Early" }).click();
      const question = page.getByRole("alertdialog");
      await expect(question).toBeVisible();
      await page.mouse.click(5, 5);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      await expect(question).toBeVisible();
      await question.getByRole("button", { name: "Continue Scenario" }).click();
      await expect(question).toBeHidden();
      await run.say("And when did it start?");

      await run.endEarly();
      await expect(run.gate).toBeVisible();
      await expect(page.getByText("The scenario has ended.")).toBeVisible();
      await run.gate.getByRole("button", { name: "Close" }).click();
      await expect(run.gate).toBeHidden();
      await expect(page.getByText("Overall score, of 100")).toHaveCount(0);
      await page.getByRole("button", { name: "Get my report" }).click();
      await run.mail("not an address");
      await expect(run.gate.getByRole("alert")).toContainText("not an email address");
      await run.mail("sam@hospital.example");
      await expect(page.getByText("Overall score, of 100")).toBeVisible();

      await page.getByRole("button", { name: "Try again" }).click();
      await expect(page.getByRole("button", { name: "Start Scenario" })).toBeVisible();
    });

    test("a refresh takes the run up again", async ({ page }) => {
      const run = new RunOnPage(page, surface);
      await run.start();
      await run.say("When did the pain start?");
      await run.input.fill("half a thought");
      await page.reload();
      await expect(page.getByText("When did the pain start?")).toBeVisible();
      await expect(page.getByText(OPENING)).toBeVisible();
      await expect(run.input).toHaveValue("half a thought");
      await run.say("Are you allergic to anything?");
      await expect(page.getByRole("progressbar", { name: "Turns" })).toHaveAttribute("aria-valuetext", "Turn 3 / 8");
    });

    test("a refresh while the answer is under way doubles nothing", async ({ page }) => {
      const run = new RunOnPage(page, surface);
      await run.start();
      const taken = answerNever(page);
      await run.send("When did the pain start?");
      await taken; // the server has the turn, the page has no answer
      await page.reload();
      await expect(run.answers()).toHaveCount(1);
      await expect(page.getByRole("progressbar", { name: "Turns" })).toHaveAttribute("aria-valuetext", "Turn 2 / 8");
    });
  });
}

test("two quick Enters are one message", async ({ page }) => {
  const run = new RunOnPage(page, PAGE);
  await run.start();
  await run.input.fill("When did the pain start?");
  await run.input.press("Enter");
  await run.input.press("Enter");
  await expect(run.answers()).toHaveCount(1);
  await run.input.fill("   ");
  await run.input.press("Enter");
  await run.say("Are you allergic to anything?");
  await expect(run.answers()).toHaveCount(2);
});

test("by keyboard alone", async ({ page, isMobile }) => {
  test.skip(isMobile, "a phone has no Tab key");
  await page.goto(PAGE.path);
  await tabTo(page, "Start Scenario");
  await page.keyboard.press("Enter");
  const run = new RunOnPage(page, PAGE);
  await expect(run.input).toBeFocused();
  await page.keyboard.type("When did the pain start?");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("And where?");
  await page.keyboard.press("Enter");
  await expect(run.answers()).toHaveCount(1);
  await page.keyboard.press("Shift+Tab");
  await tabTo(page, "End Scenario Early", "Shift+Tab");
  await page.keyboard.press("Enter");
  await tabTo(page, "End Scenario");
  await page.keyboard.press("Enter");
  await expect(run.gate.getByRole("heading", { name: "Your report is ready" })).toBeFocused();
  await tabTo(page, "Work email");
  await page.keyboard.type("sam@hospital.example");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Overall score, of 100")).toBeVisible();
});

test("the back button leaves and comes back to the run", async ({ page }) => {
  const run = new RunOnPage(page, PAGE);
  await page.goto("/industries/healthcare");
  await run.start();
  await run.say("When did the pain start?");
  await page.goBack();
  await expect(page).toHaveURL(/industries\/healthcare/);
  await page.goForward();
  await expect(run.answers()).toHaveCount(1);
  await run.say("Are you allergic to anything?");
});

/** Lets the server take the next turn and keeps its answer from the page. */
function answerNever(page: Page): Promise<void> {
  return new Promise((taken) => {
    void page.route("**/session-turn", async (route) => {
      await route.fetch();
      taken();
    }, { times: 1 });
  });
}

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string, key = "Tab"): Promise<void> {
  for (let i = 0; i < 40; i++) {
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement | null;
      return (element?.labels?.[0]?.textContent ?? element?.getAttribute("aria-label") ?? element?.textContent ?? "").trim();
    });
    if (focused === name) {
      return;
    }
    await page.keyboard.press(key);
  }
  throw new Error(`${name} cannot be reached with ${key}`);
}

import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { MESSAGES, PAGE, RunOnPage, WIDGET } from "./run.ts";
import { expect, test } from "./simora.ts";

test("the server is gone in the middle: the words are kept and sent once", async ({ page, simora }) => {
  const run = new RunOnPage(page, PAGE);
  await run.start();
  await run.say(MESSAGES[0]);
  await simora.kill();
  await run.send("Are you allergic to anything?");
  const toast = page.getByRole("alert").filter({ hasText: "Error" });
  await expect(toast).toBeVisible();
  await expect(run.input).toHaveValue("Are you allergic to anything?");
  await expect(page.getByText("Not sent.")).toBeVisible();

  const again = await simora.restart();
  try {
    await run.input.press("Enter");
    await expect(run.answers()).toHaveCount(2);
    await expect(page.getByRole("progressbar", { name: "Turns" })).toHaveAttribute("aria-valuetext", "Turn 3 / 8");
  } finally {
    await again.kill();
  }
});

test("the server is gone at the start", async ({ page, simora }) => {
  await page.goto(PAGE.path);
  await page.getByRole("button", { name: "Start Scenario" }).hover();
  await expect(page.locator("[data-island]")).toBeVisible();
  await page.waitForLoadState("networkidle");
  await simora.kill();
  await page.getByRole("button", { name: "Start Scenario" }).click();
  const toast = page.getByRole("alert").filter({ hasText: "Error" });
  await expect(toast).toContainText("Failed to start scenario");
  await expect(page.getByRole("button", { name: "Start Scenario" })).toBeEnabled();
});

test.describe("a budget is used up", () => {
  test.use({ env: { SIMORA_LIMIT_FACTOR: "0.001" } });

  test("the page says so and the run can go on later", async ({ page }) => {
    const run = new RunOnPage(page, PAGE);
    await run.start();
    await run.say(MESSAGES[0]);
    await run.send(MESSAGES[1]);
    await expect(page.getByRole("alert").filter({ hasText: "Too many requests" })).toBeVisible();
    await expect(run.input).toHaveValue(MESSAGES[1]);
  });
});

/** A mail server that refuses every recipient for good. */
async function refusing(): Promise<SMTPServer> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: (_address, _session, answer) => answer(Object.assign(new Error("no such mailbox"), { responseCode: 550 })),
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return server;
}

test.describe("the mail is refused", () => {
  test.use({
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's form
    env: async ({}, use) => {
      const server = await refusing();
      const { port } = server.server.address() as AddressInfo;
      await use({ SIMORA_SMTP_URL: `smtp://127.0.0.1:${port}?tls=none` });
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  });

  test("the full page keeps the report locked", async ({ page }) => {
    const run = new RunOnPage(page, PAGE);
    await run.start();
    await run.say(MESSAGES[0]);
    await run.endEarly();
    await run.mail("nobody@hospital.example");
    await expect(page.getByRole("alert").filter({ hasText: "Error" })).toContainText("couldn't send the email");
    await expect(run.gate).toBeVisible();
    await expect(page.getByText("Overall score, of 100")).toHaveCount(0);
    await run.gate.getByRole("button", { name: "Close" }).click();
    await expect(page.getByText("Overall score, of 100")).toHaveCount(0);
  });

  test("the widget reveals it with a notice", async ({ page }) => {
    const run = new RunOnPage(page, WIDGET);
    await run.start();
    await run.say(MESSAGES[0]);
    await run.endEarly();
    await run.mail("nobody@hospital.example");
    await expect(page.getByText("Report Unlocked...")).toBeVisible();
    await expect(page.getByText("We couldn't send the email at this time.")).toBeVisible();
    await expect(page.getByText("Overall score, of 100")).toBeVisible();
  });
});

test.describe("the mail server is down", () => {
  test.use({ env: { SIMORA_SMTP_URL: "smtp://127.0.0.1:9?tls=none" } });

  test("the letter is queued and the report revealed", async ({ page, simora }) => {
    const run = new RunOnPage(page, PAGE);
    await run.start();
    await run.say(MESSAGES[0]);
    await run.endEarly();
    await run.mail("sam@hospital.example");
    await expect(page.getByText("Overall score, of 100")).toBeVisible();
    expect(simora.log.some((line) => line.includes("letter put off"))).toBe(true);
    expect(simora.log.join("\n")).not.toContain("sam@hospital.example");
  });
});

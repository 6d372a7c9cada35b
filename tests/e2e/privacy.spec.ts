import { readFile } from "node:fs/promises";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { MESSAGES, PAGE, RunOnPage } from "./run.ts";
import { expect, type Simora, test } from "./simora.ts";

const ADMIN = { email: "admin@simora.example", password: "correct horse battery staple" };
const VISITOR = "sam@hospital.example";

test.use({ env: { SIMORA_ADMIN_EMAIL: ADMIN.email, SIMORA_ADMIN_PASSWORD: ADMIN.password, SIMORA_LIMIT_FACTOR: "1000" } });

/** A finished run whose report goes to the visitor. */
async function play(page: Page): Promise<void> {
  const run = new RunOnPage(page, PAGE);
  await run.start();
  await run.say(MESSAGES[0]);
  await run.endEarly();
  await run.mail(VISITOR);
  await expect(page.getByText("Overall score, of 100")).toBeVisible();
}

/** Asks on the privacy page, and opens the link in the letter. */
async function openLink(page: Page, simora: Simora): Promise<void> {
  await page.goto("/privacy#your-data");
  const form = page.getByRole("form", { name: "Your data" });
  await form.getByRole("button", { name: "Send me the link" }).click();
  await expect(form.getByText("Write it like name@example.com.")).toBeVisible();
  await form.getByLabel("Email").fill(VISITOR);
  await form.getByRole("button", { name: "Send me the link" }).click();
  await expect(form.getByRole("status")).toContainText(`on its way to ${VISITOR}`);
  const letters = await simora.letters();
  const link = letters.map((letter) => /\S+\/privacy\/data#\S+/.exec(letter.text ?? "")?.[0]).find(Boolean);
  await page.goto(String(link).replace(/^https?:\/\/[^/]+/, simora.url));
}

const noFinding = async (page: Page) => expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

test("a visitor sees, downloads and deletes what is kept about them", async ({ page, simora }) => {
  await play(page);
  await openLink(page, simora);
  await expect(page.getByText(`This is what we keep about ${VISITOR}.`)).toBeVisible();
  await expect(page.getByRole("heading", { name: "1 run" })).toBeVisible();
  await noFinding(page);

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download all of it" }).click();
  const data = JSON.parse(await readFile(await (await download).path(), "utf8"));
  expect(data.sessions[0].messages.map((message: { content: string }) => message.content)).toContain(MESSAGES[0]);

  await page.getByRole("button", { name: "Delete all of it" }).click();
  await page.getByRole("button", { name: "Keep it" }).click();
  await expect(page.getByRole("heading", { name: "1 run" })).toBeVisible();
  await page.getByRole("button", { name: "Delete all of it" }).click();
  await page.getByRole("button", { name: "Delete everything" }).click();
  await expect(page.getByText("Deleted: 1 run")).toBeVisible();
  await page.reload();
  await expect(page.getByText(`We keep nothing about ${VISITOR}.`)).toBeVisible();
});

test("a link that is not ours opens nothing", async ({ page }) => {
  await page.goto("/privacy/data#made-up");
  await expect(page.getByText("This link is not valid any more.")).toBeVisible();
  await page.getByRole("link", { name: "Ask for a new link" }).click();
  await expect(page.getByRole("heading", { name: "Your data" })).toBeInViewport();
  await page.goto("/privacy/data");
  await expect(page.getByText("This page opens with the link that we mail to you.")).toBeVisible();
});

test("an admin exports and erases a person", async ({ page }) => {
  await play(page);
  await page.goto("/admin/login");
  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password").fill(ADMIN.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Dashboard" })).toBeVisible();
  await page.goto("/admin/people");
  await page.getByRole("button", { name: "Find" }).click();
  await expect(page.getByText("Write the address like name@example.com.")).toBeVisible();
  await page.getByLabel("Email").fill(VISITOR.toUpperCase());
  await page.getByRole("button", { name: "Find" }).click();
  await expect(page.getByText("1 session, 0 contact messages, 1 letter")).toBeVisible();
  await noFinding(page);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as JSON" }).click();
  expect(await readFile(await (await download).path(), "utf8")).toContain(MESSAGES[0]);

  await page.getByRole("button", { name: "Erase everything" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Erase" }).click();
  await expect(page.locator(".toast")).toContainText("1 session, 0 contact messages");
  await page.getByRole("button", { name: "Find" }).click();
  await expect(page.getByText("Nothing is kept about this address.")).toBeVisible();
  await page.goto("/admin/sessions");
  await expect(page.getByText("Chest pain", { exact: false })).toHaveCount(0);
});

test("beside each claim stands how it is kept here", async ({ page, simora }) => {
  await page.goto("/privacy");
  await page.locator("#uptime").scrollIntoViewIfNeeded();
  const retention = page.locator("[data-claim=retention]");
  await expect(retention).toContainText("Demo sessions are deleted after 90 days on this installation.");
  await expect(page.locator("[data-claim=encryption]"), "plain HTTP is told").toContainText("Connections to this installation are not encrypted.");
  await expect(page.locator("[data-claim=hosting]")).toContainText("Not configured here");
  await expect(page.locator("[data-claim=access]")).toContainText("Active");
  await noFinding(page);
  const status = await (await page.request.get(`${simora.url}/functions/v1/privacy-status`)).json();
  expect(status.claims.map((claim: { id: string }) => claim.id)).toEqual(["encryption", "hosting", "access", "retention", "sharing", "uptime"]);
});

import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { MESSAGES, PAGE, RunOnPage } from "./run.ts";
import { expect, type Simora, test } from "./simora.ts";

const ADMIN = { email: "admin@simora.example", password: "correct horse battery staple" };

test.use({ env: { SIMORA_ADMIN_EMAIL: ADMIN.email, SIMORA_ADMIN_PASSWORD: ADMIN.password, SIMORA_LIMIT_FACTOR: "1000" } });

const toast = (page: Page) => page.locator(".toast");

async function enter(page: Page, { email, password }: typeof ADMIN): Promise<void> {
  await page.goto("/admin/login");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function signIn(page: Page, path = "/admin"): Promise<void> {
  await enter(page, ADMIN);
  await expect(page.getByRole("heading", { level: 1, name: "Dashboard" })).toBeVisible();
  if (path !== "/admin") await page.goto(path);
}

/** A finished run with an email, by a visitor. */
async function play(page: Page): Promise<void> {
  const run = new RunOnPage(page, PAGE);
  await run.start();
  await run.say(MESSAGES[0]);
  await run.say(MESSAGES[1]);
  await run.endEarly();
  await run.mail("sam@hospital.example");
  await expect(page.getByText("Overall score, of 100")).toBeVisible();
}

/** The same without a browser. */
async function playByCalls(simora: Simora): Promise<void> {
  const { publicKey } = (await (await fetch(`${simora.url}/config.json`)).json()) as { publicKey: string };
  const call = async (name: string, body: object) => {
    const answer = await fetch(`${simora.url}/functions/v1/${name}`, {
      method: "POST",
      headers: { apikey: publicKey, Authorization: `Bearer ${publicKey}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(answer.ok, name).toBe(true);
    return answer.json();
  };
  const { sessionId } = await call("session-start", { scenarioSlug: "healthcare-emergency", browserMeta: {} });
  await call("session-turn", { sessionId, userMessage: MESSAGES[0] });
  await call("session-complete", { sessionId });
  await call("send-report-email", { sessionId, userEmail: "sam@hospital.example" });
}

test("sign-in: failure, success, guard, session kept, logout", async ({ page }) => {
  await page.goto("/admin/sessions");
  await expect(page, "the guard leads to the sign-in").toHaveURL(/\/admin\/login$/);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByText("Enter your email address.")).toBeVisible();
  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password").fill("wrong wrong wrong wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(toast(page)).toContainText("Login Failed");
  await expect(toast(page)).toContainText("Invalid login credentials");
  await page.getByLabel("Password").fill(ADMIN.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(toast(page)).toContainText("Login Successful");
  await expect(page).toHaveURL(/\/admin$/);

  await page.reload();
  await expect(page.getByRole("heading", { name: "Dashboard" }), "the sign-in lives in the browser").toBeVisible();
  await page.goto("/admin/login");
  await expect(page, "who is signed in has nothing to do there").toHaveURL(/\/admin$/);
  const kept = async () => Object.keys(await page.evaluate(() => ({ ...localStorage }))).sort();
  expect(await kept()).toEqual([expect.stringMatching(/^sb-.*-auth-token$/), "simora-device"]);

  await page.getByRole("button", { name: "Logout" }).click();
  await expect(toast(page)).toContainText("Logged Out");
  await expect(page).toHaveURL(/\/admin\/login$/);
  expect(await kept(), "a proof that tells nothing, for the next sign-in").toEqual(["simora-device"]);
  await page.goto("/admin/scenarios");
  await expect(page).toHaveURL(/\/admin\/login$/);
});

test("somebody who is no admin is signed out at once", async ({ page }) => {
  await page.route("**/rpc/has_role", (route) => route.fulfill({ json: false }));
  await page.goto("/admin/login");
  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password").fill(ADMIN.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(toast(page)).toContainText("Access Denied");
  await expect(toast(page)).toContainText("You do not have admin privileges");
  await expect(page).toHaveURL(/\/admin\/login$/);
  expect(Object.keys(await page.evaluate(() => ({ ...localStorage })))).toEqual(["simora-device"]);
});

test("the dashboard and the session that a visitor played", async ({ page, browser, simora }) => {
  const visitor = await browser.newPage({ baseURL: simora.url });
  await play(visitor);
  await visitor.goto("/try/healthcare");
  await signIn(page);
  const figure = (name: string) => page.locator("dl > div", { has: page.getByText(name, { exact: true }) }).locator("dd");
  await expect(figure("Sessions")).toContainText("1");
  await expect(figure("Completed")).toContainText("100% of sessions");
  await expect(figure("CTA conversion")).toContainText("100%");
  await page.getByText("As a table").click();
  await expect(page.getByRole("rowheader", { name: new Date().toISOString().slice(0, 10) })).toBeVisible();

  await page.getByRole("link", { name: "Chest Pain Assessment" }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Chest Pain Assessment" })).toBeVisible();
  for (const text of ["sam@hospital.example", "127.0.0.1", "Complete", "built-in"]) {
    await expect(page.getByText(text).first()).toBeVisible();
  }
  await expect(page.locator("mark").first(), "evidence is marked in the log").toBeVisible();
  await expect(page.getByText(MESSAGES[0].slice(0, 9)).first()).toBeVisible();
  await page.goto("/admin/sessions/00000000-0000-4000-8000-000000000000");
  await expect(page.getByText("Session not found")).toBeVisible();
});

test("sessions: search, filter, share by address, export", async ({ page, browser, simora }) => {
  const visitor = await browser.newPage({ baseURL: simora.url });
  await play(visitor);
  await signIn(page, "/admin/sessions");
  const count = page.getByRole("status").filter({ hasText: /sessions?$/ });
  await expect(count).toHaveText("1 session");
  await page.getByLabel("Status").selectOption("incomplete");
  await expect(count).toHaveText("0 sessions");
  await page.getByLabel("Status").selectOption("");
  await page.getByRole("searchbox").fill("sam@hospital.example");
  await expect(page).toHaveURL(/search=sam/);
  await expect(count).toHaveText("1 session");
  await page.getByRole("searchbox").fill("nobody@hospital.example");
  await expect(count).toHaveText("0 sessions");
  await page.reload();
  await expect(count).toHaveText("0 sessions");
  await page.getByRole("searchbox").fill("");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as CSV" }).click();
  expect((await download).suggestedFilename()).toBe("sessions.csv");
});

test("scenarios: create with its mistakes, edit, private, delete", async ({ page }) => {
  await signIn(page, "/admin/scenarios");
  await page.getByRole("link", { name: "New scenario" }).click();
  await page.getByRole("button", { name: "Create scenario" }).click();
  await expect(toast(page)).toContainText("Enter a title.");
  await expect(page.locator("#title-problem")).toHaveText("Enter a title.");
  await expect(page.locator("#slug-problem")).toHaveText("Enter a slug.");
  await page.getByLabel("Title").fill("Angry guest");
  await page.getByLabel("Slug").fill("angry guest");
  await page.getByLabel("Maximum turns").fill("51");
  await page.getByLabel("System prompt").fill("You are a tired hotel guest.");
  const editor = page.locator(".a-editor .cm-content");
  await editor.click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("x");
  await page.getByRole("button", { name: "Create scenario" }).click();
  await expect(page.locator("#slug-problem")).toContainText("lower-case letters");
  await expect(page.locator("#max_turns-problem")).toContainText("from 1 to 50");
  await expect(page.locator("#rubric-problem")).toContainText("not valid JSON");
  await expect(page.locator(".a-editor .cm-lint-marker-error"), "the line is marked").toBeVisible();
  await page.getByLabel("Slug").fill("corporate-sales");
  await page.getByLabel("Maximum turns").fill("4");
  await editor.click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.press("Backspace");
  await page.getByRole("button", { name: "Create scenario" }).click();
  await expect(page.locator("#slug-problem")).toContainText("Another scenario has this slug already");
  await page.getByLabel("Slug").fill("angry-guest");
  await page.getByRole("button", { name: "Play the draft" }).click();
  const preview = page.getByRole("dialog", { name: "Angry guest" });
  await preview.getByRole("button", { name: "Start" }).click();
  await preview.getByLabel("Your message").fill("Good evening, I am sorry that your room is not ready.");
  await preview.getByRole("button", { name: "Send", exact: true }).click();
  await expect(preview.getByRole("listitem")).toHaveCount(3);
  await preview.getByRole("button", { name: "Judge it" }).click();
  await expect(preview.getByText(/\d+ of 100\./)).toBeVisible();
  await preview.getByRole("button", { name: "Close" }).click();
  await expect(page.getByText("runs in the engine's general mode")).toBeVisible();
  await page.getByRole("button", { name: "Create scenario" }).click();
  await expect(toast(page)).toContainText("Scenario created");
  const row = page.getByRole("row", { name: /Angry guest/ });
  await expect(row).toContainText("Private");

  await row.getByRole("link", { name: "Edit Angry guest" }).click();
  await expect(editor).toContainText("Empathy");
  await page.getByLabel("Public: visitors can start it").check();
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(toast(page)).toContainText("Scenario updated");
  await expect(row).toContainText("Public");

  await row.getByRole("button", { name: "Delete Angry guest" }).click();
  const question = page.getByRole("alertdialog");
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(row).toBeVisible();
  await row.getByRole("button", { name: "Delete Angry guest" }).click();
  await question.getByRole("button", { name: "Delete scenario" }).click();
  await expect(toast(page)).toContainText("Scenario deleted");
  await expect(row).toBeHidden();
  await page.goto("/admin/sessions");
  await expect(page.getByText("0 sessions"), "the preview was no session").toBeVisible();
  await page.goto("/admin/scenarios/00000000-0000-4000-8000-000000000000/edit");
  await expect(page.getByText("Scenario not found")).toBeVisible();
});

const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

test("media: upload, caption, order, delete, and the public page shows it", async ({ page, browser, simora }) => {
  await signIn(page, "/admin/media-gallery");
  await page.getByRole("button", { name: "Upload" }).click();
  await expect(toast(page)).toContainText("Missing information");
  await expect(toast(page)).toContainText("Please select a file and industry");
  const upload = async (name: string, buffer: Buffer, caption: string) => {
    await page.getByLabel(/^File/).setInputFiles({ name, mimeType: "image/png", buffer });
    await page.getByRole("form", { name: "Upload" }).getByLabel("Industry").selectOption("healthcare");
    await page.getByRole("form", { name: "Upload" }).getByLabel(/^Caption/).fill(caption);
    await page.getByRole("button", { name: "Upload", exact: true }).click();
  };
  await upload("page.png", Buffer.from("<html><script>alert(1)</script>"), "");
  await expect(toast(page)).toContainText("Upload failed");
  for (const caption of ["The ward", "The team"]) {
    await upload("a.png", PNG, caption);
    await expect(toast(page)).toContainText("Media uploaded");
    await expect(page.getByRole("img", { name: caption })).toBeVisible();
  }
  await expect(page.getByText("1 × 1, 1 kB").first()).toBeVisible();
  const shown = () => page.getByRole("region", { name: "Healthcare" }).getByRole("img").evaluateAll((all) => all.map((image) => image.getAttribute("alt")));
  expect(await shown()).toEqual(["The ward", "The team"]);
  await expect(page.getByRole("button", { name: "Move The ward up" })).toBeDisabled();
  await page.getByRole("button", { name: "Move The team up" }).click();
  await expect(toast(page)).toContainText("Display order updated");
  await expect.poll(shown).toEqual(["The team", "The ward"]);
  const caption = page.getByRole("listitem").filter({ has: page.getByRole("img", { name: "The ward" }) }).getByRole("textbox", { name: "Caption" });
  await caption.fill("");
  await caption.press("Enter");
  await expect(toast(page)).toContainText("Caption removed");

  const visitor = await browser.newPage({ baseURL: simora.url });
  await visitor.goto("/industries/healthcare");
  await visitor.getByRole("heading", { name: "From the simulation ward" }).scrollIntoViewIfNeeded();
  await expect(visitor.getByRole("img", { name: "The team" })).toBeVisible();

  await page.getByRole("button", { name: "Delete The team" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(toast(page)).toContainText("Media deleted");
  await expect(page.getByRole("img", { name: "The team" })).toBeHidden();
});

test("on a phone the tab of the page that opens is in view", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signIn(page);
  const tabs = page.getByRole("navigation", { name: "Console" });
  for (const [path, name] of [["/admin/health", "Health"], ["/admin/people", "Personal data"], ["/admin", "Dashboard"]] as const) {
    await page.goto(path);
    await expect(tabs.getByRole("link", { name })).toBeInViewport({ ratio: 1 });
  }
  await page.goto("/admin/integrations");
  await page.goto("/admin");
  await page.goBack();
  await expect(tabs.getByRole("link", { name: "Integrations" })).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => scrollY), "the page itself stays where it is").toBe(0);
});

test("contact messages: read and marked as answered", async ({ page, simora }) => {
  const { publicKey } = (await (await fetch(`${simora.url}/config.json`)).json()) as { publicKey: string };
  await fetch(`${simora.url}/functions/v1/send-contact-email`, {
    method: "POST",
    headers: { apikey: publicKey, Authorization: `Bearer ${publicKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "Ada <b>Okoye</b>", email: "ada@b.example", reason: "demo", message: "First line\nSecond" }),
  });
  await signIn(page);
  await page.getByRole("link", { name: "1 contact message is waiting for an answer" }).click();
  await expect(page.getByRole("heading", { name: "Ada <b>Okoye</b>" })).toBeVisible();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as CSV" }).click();
  const csv = await readFile(await (await download).path(), "utf8");
  expect(csv).toContain(',demo,Ada <b>Okoye</b>,ada@b.example,,"First line\nSecond",false,');
  await page.getByRole("button", { name: "Mark as answered" }).click();
  await expect(page.getByText("Nobody is waiting")).toBeVisible();
});

test("offline: the console says so, and goes on by itself", async ({ page, context }) => {
  await signIn(page, "/admin/scenarios");
  await expect(page.getByRole("heading", { level: 1, name: "Scenarios" })).toBeVisible();
  await context.setOffline(true);
  await expect(page.getByText("You are offline.")).toBeVisible();
  await page.getByRole("link", { name: "Contact", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Contact messages" })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByText("You are offline.")).toBeHidden();
  await expect(page.getByText("No message yet.")).toBeVisible();
});

test("the server is gone: every page says so and offers another try", async ({ page, simora }) => {
  await signIn(page);
  await simora.kill();
  await page.getByRole("link", { name: "Sessions", exact: true }).click();
  await expect(page.getByRole("alert").getByText("The server can't be reached.")).toBeVisible({ timeout: 20_000 });
  await expect(page.getByRole("button", { name: "Try again" })).toBeVisible();
});

test("a viewer looks on: nothing personal, nothing to change, and out when the role goes", async ({ page, simora }) => {
  const viewer = { email: "looker@simora.example", password: ADMIN.password };
  simora.command(["admin", "create", "--role", "viewer", viewer.email], { SIMORA_ADMIN_PASSWORD: viewer.password });
  await playByCalls(simora);
  await enter(page, viewer);
  await expect(page.getByRole("heading", { level: 1, name: "Dashboard" })).toBeVisible();
  await expect(page.getByText("You are a viewer")).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Console" }).getByRole("link")).toHaveText(["Dashboard", "Scenarios", "Sessions", "Media Gallery"]);
  const nothingPersonal = async () => {
    const text = await page.locator("main").innerText();
    for (const personal of ["sam@hospital.example", "127.0.0.1", "I'm Sam"]) expect(text).not.toContain(personal);
  };
  await nothingPersonal();
  await page.getByRole("link", { name: "Sessions", exact: true }).click();
  await expect(page.getByText("1 session", { exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: "Export as CSV" })).toBeHidden();
  await nothingPersonal();
  await page.getByRole("link", { name: "Chest Pain Assessment" }).click();
  await expect(page.getByRole("heading", { name: "Criteria" })).toBeVisible();
  await expect(page.getByText("1 of 8 turns")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Raw log" })).toBeHidden();
  await nothingPersonal();
  await page.getByRole("link", { name: "Scenarios", exact: true }).click();
  await expect(page.getByRole("cell", { name: "Chest Pain Assessment" })).toBeVisible();
  await expect(page.getByRole("main").getByRole("button")).toHaveCount(0);
  await expect(page.getByRole("main").getByRole("link")).toHaveCount(0);
  await page.getByRole("link", { name: "Media Gallery" }).click();
  await expect(page.getByRole("heading", { name: "Healthcare" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Upload" })).toBeHidden();
  for (const path of ["contact", "audit", "scenarios/new"]) {
    await page.goto(`/admin/${path}`);
    await expect(page.getByText("Only admins see this page."), path).toBeVisible();
  }
  simora.command(["admin", "role", viewer.email, "none"]);
  await page.reload();
  await expect(page, "the role counts at once").toHaveURL(/\/admin\/login$/);
  await enter(page, viewer);
  await expect(toast(page)).toContainText("You do not have admin privileges");
});

test("audit log: who did what, filtered, exported, verified, and tampering is said", async ({ page, simora }) => {
  await playByCalls(simora);
  await enter(page, { ...ADMIN, password: "wrong wrong wrong wrong" });
  await expect(toast(page)).toContainText("Login Failed");
  await signIn(page, "/admin/sessions");
  await page.getByRole("link", { name: "Chest Pain Assessment" }).click();
  await expect(page.getByRole("heading", { name: "Raw log" })).toBeVisible();
  await page.getByRole("link", { name: "Audit log" }).click();
  const row = page.getByRole("region", { name: "Entries" }).getByRole("row");
  await expect(row.nth(1)).toContainText(`${ADMIN.email}127.0.0.1`);
  await expect(row.nth(1)).toContainText("Session viewed");
  await expect(row.filter({ hasText: "Server started" })).toContainText("The server");
  await page.getByLabel("Action").selectOption({ label: "Sign-in failed" });
  await expect(row).toHaveCount(2);
  await expect(row.nth(1)).toContainText("Somebody not signed in");
  await expect(row.nth(1)).toContainText(`email: ${ADMIN.email}`);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export as CSV" }).click();
  const csv = await readFile(await (await download).path(), "utf8");
  expect(csv.trim().split("\n")).toHaveLength(2);
  expect(csv).toContain("auth.sign_in_failed");
  await page.getByLabel("Action").selectOption("");
  await page.getByLabel("Who").selectOption({ label: "The server" });
  await expect(row.filter({ hasText: "Signed in" })).toHaveCount(0);
  const verification = page.getByRole("region", { name: "Verification" });
  await page.getByRole("button", { name: "Verify now" }).click();
  await expect(verification).toContainText(/Chain verified at .*: \d+ entries, whole and in order/);

  // The end of the log was mirrored; it is another one now.
  await appendFile(join(simora.data, "audit-head.jsonl"), `\n{"at":"2026-01-01T00:00:00Z","seq":2,"hash":"${"00".repeat(32)}"}`);
  await page.getByRole("button", { name: "Verify now" }).click();
  await expect(verification).toContainText("the log was tampered with");
  await expect(verification.getByRole("listitem")).toContainText("entry 2: is not the one that was mirrored");
  await page.reload();
  await expect(verification, "it is remembered").toContainText("the log was tampered with");
});

async function everyPage(page: Page, look: (name: string) => Promise<void>): Promise<void> {
  await page.goto("/admin/login");
  await expect(page.getByRole("heading", { name: "Admin sign-in" })).toBeVisible();
  await look("login");
  await signIn(page);
  for (const [path, heading] of [
    ["/admin", "Dashboard"],
    ["/admin/scenarios", "Scenarios"],
    ["/admin/scenarios/new", "New scenario"],
    ["/admin/sessions", "Sessions"],
    ["/admin/media-gallery", "Media Gallery"],
    ["/admin/contact", "Contact messages"],
    ["/admin/audit", "Audit log"],
    ["/admin/health", "Health"],
    ["/admin/integrations", "Integrations"],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
    await page.waitForLoadState("networkidle");
    await look(path);
  }
  await page.goto("/admin/sessions");
  await page.getByRole("link", { name: "Chest Pain Assessment" }).first().click();
  await expect(page.getByRole("heading", { name: "Raw log" })).toBeVisible();
  await look("session");
}

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });
    test("no page of the console breaks an accessibility rule, or scrolls sideways on a phone", async ({ page, browser, simora }) => {
      test.setTimeout(300_000); // a dozen pages, each looked at whole
      const visitor = await browser.newPage({ baseURL: simora.url });
      await play(visitor);
      await everyPage(page, async (name) => {
        const found = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]).analyze();
        expect(found.violations.flatMap((v) => v.nodes.map((node) => `${v.id}: ${node.target.join(" ")}`)), name).toEqual([]);
        await page.setViewportSize({ width: 390, height: 844 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(390);
        await page.setViewportSize({ width: 1440, height: 900 });
      });
    });
  });
}

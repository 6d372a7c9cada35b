import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { expect, Simora, test } from "./simora.ts";

const ADMIN = { email: "admin@simora.example", password: "correct horse battery staple" };
const NEXT = "another horse battery staple";
const ENV = { SIMORA_ADMIN_EMAIL: ADMIN.email, SIMORA_ADMIN_PASSWORD: ADMIN.password, SIMORA_LIMIT_FACTOR: "1000" };
const STEP = 30_000;

test.use({ env: ENV });

class NoSocket {}

async function connect(simora: Simora): Promise<SupabaseClient> {
  const { publicKey } = (await (await fetch(`${simora.url}/config.json`)).json()) as { publicKey: string };
  return createClient(simora.url, publicKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: NoSocket as never },
  });
}

/** What an authenticator app shows (RFC 6238), some steps of 30 s from now. */
function totp(secret: string, steps = 0): string {
  const bits = [...secret].map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP) + steps));
  const mac = createHmac("sha1", key).update(counter).digest();
  const at = (mac[19] ?? 0) & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

test("the stock client turns a second factor on, signs in with it, and turns it off", async ({ simora }) => {
  const client = await connect(simora);
  await client.auth.signInWithPassword(ADMIN);
  expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({ currentLevel: "aal1", nextLevel: "aal1" });
  expect((await client.auth.mfa.listFactors()).data?.all).toEqual([]);

  const enrolled = await client.auth.mfa.enroll({ factorType: "totp", friendlyName: "phone" });
  expect(enrolled.error).toBeNull();
  const { id: factorId, totp: shown } = enrolled.data as { id: string; totp: { qr_code: string; secret: string; uri: string } };
  expect(shown.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg /);
  expect(shown.uri).toContain(`secret=${shown.secret}`);
  expect((await client.auth.mfa.listFactors()).data?.all).toMatchObject([{ id: factorId, status: "unverified", friendly_name: "phone" }]);

  const challenge = await client.auth.mfa.challenge({ factorId });
  const challengeId = challenge.data?.id ?? "";
  expect((await client.auth.mfa.verify({ factorId, challengeId, code: "000000" })).error).toMatchObject({ code: "mfa_verification_failed", status: 422 });
  const first = totp(shown.secret, -1);
  expect((await client.auth.mfa.verify({ factorId, challengeId, code: first })).error).toBeNull();
  expect((await client.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({
    currentLevel: "aal2",
    nextLevel: "aal2",
    currentAuthenticationMethods: [{ method: "password" }, { method: "totp" }],
  });
  expect((await client.functions.invoke("admin-get-scenarios")).error).toBeNull();
  expect((await client.auth.refreshSession()).error).toBeNull();
  expect((await client.functions.invoke("admin-get-scenarios")).error).toBeNull();

  const other = await connect(simora);
  const { data } = await other.auth.signInWithPassword(ADMIN);
  expect((await other.auth.mfa.getAuthenticatorAssuranceLevel()).data).toMatchObject({ currentLevel: "aal1", nextLevel: "aal2" });
  const refused = await other.functions.invoke("admin-get-scenarios");
  expect(await (refused.error.context as Response).json()).toMatchObject({ code: "insufficient_aal" });
  expect(await other.rpc("has_role", { _user_id: data.user?.id, _role: "admin" })).toMatchObject({ data: false });
  expect((await other.from("scenarios").select("*")).error?.code).toBe("42501");
  expect((await other.storage.from("industry-media").upload("healthcare/x.png", new Blob(["x"]))).error).not.toBeNull();
  expect((await other.auth.mfa.unenroll({ factorId })).error).toMatchObject({ code: "insufficient_aal" });
  expect((await other.auth.mfa.enroll({ factorType: "totp" })).error).toMatchObject({ code: "too_many_enrolled_mfa_factors" });
  expect((await other.auth.mfa.challengeAndVerify({ factorId, code: first })).error, "a code counts once").toMatchObject({ code: "mfa_verification_failed" });
  expect((await other.auth.mfa.challengeAndVerify({ factorId, code: totp(shown.secret) })).error).toBeNull();
  expect((await other.functions.invoke("admin-get-scenarios")).error).toBeNull();
  expect((await other.auth.mfa.unenroll({ factorId })).error).toBeNull();
  expect((await other.auth.mfa.listFactors()).data?.all).toEqual([]);
});

test("the stock client changes the password", async ({ simora }) => {
  const [client, elsewhere] = [await connect(simora), await connect(simora)];
  await client.auth.signInWithPassword(ADMIN);
  await elsewhere.auth.signInWithPassword(ADMIN);
  const change = async (password: string, current_password?: string) =>
    (await client.auth.updateUser(current_password ? { password, current_password } : { password })).error;
  expect(await change(NEXT)).toMatchObject({ code: "validation_failed" });
  expect(await change(NEXT, "wrong wrong wrong wrong")).toMatchObject({ code: "current_password_invalid", status: 400 });
  expect(await change("short", ADMIN.password)).toMatchObject({ name: "AuthWeakPasswordError", code: "weak_password" });
  expect(await change(NEXT, ADMIN.password)).toBeNull();
  expect((await client.auth.getUser()).error).toBeNull();
  expect((await elsewhere.auth.getUser()).error).toMatchObject({ name: "AuthSessionMissingError" });
  expect((await elsewhere.auth.signInWithPassword({ ...ADMIN, password: NEXT })).error).toBeNull();
});

async function signIn(page: Page, password = ADMIN.password): Promise<void> {
  await page.goto("/admin/login");
  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

const dashboard = (page: Page) => page.getByRole("heading", { level: 1, name: "Dashboard" });

test("the account page: second factor on, in use, recovered, off", async ({ page }) => {
  await signIn(page);
  await expect(dashboard(page)).toBeVisible();
  await page.getByRole("link", { name: `Your account, ${ADMIN.email}` }).click();
  const panel = page.getByRole("region", { name: "Second factor" });
  await expect(panel).toContainText("Off");
  await panel.getByRole("button", { name: "Set up" }).click();
  await panel.getByLabel("Password").fill("wrong wrong wrong wrong");
  await panel.getByRole("button", { name: "Continue" }).click();
  await expect(panel.getByText("Your current password is not right")).toBeVisible();
  await panel.getByLabel("Password").fill(ADMIN.password);
  await panel.getByRole("button", { name: "Continue" }).click();
  const picture = panel.getByRole("img", { name: "QR code" });
  await expect(picture).toBeVisible();
  expect(await picture.evaluate((img: HTMLImageElement) => img.decode().then(() => img.naturalWidth)), "the picture is one").toBeGreaterThan(0);
  const secret = (await panel.locator("code").textContent()) ?? "";
  await panel.getByLabel("Code").fill("12345");
  await panel.getByRole("button", { name: "Turn on" }).click();
  await expect(panel.getByText("Enter the six digits that your app shows")).toBeVisible();
  const first = totp(secret, -1);
  await panel.getByLabel("Code").fill(first);
  await panel.getByRole("button", { name: "Turn on" }).click();
  await expect(panel).toContainText("On since");
  const recovery = await panel.getByRole("list", { name: "Recovery codes" }).getByRole("listitem").allTextContents();
  expect(recovery).toHaveLength(10);
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage })), "what is shown is not kept").not.toContain(recovery[0]);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  await page.getByRole("button", { name: "Logout" }).click();
  await signIn(page);
  await expect(page.getByRole("heading", { name: "Your second factor" })).toBeVisible();
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await page.goto("/admin/sessions");
  await expect(page, "half a sign-in opens nothing").toHaveURL(/\/admin\/login$/);
  await page.getByLabel("Code").fill(first);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByText("This code is not right, or it was used already")).toBeVisible();
  await page.getByLabel("Code").fill(recovery[0] ?? "");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(dashboard(page)).toBeVisible();

  await page.goto("/admin/account");
  await expect(panel).toContainText("9 recovery codes are left");
  await panel.getByRole("button", { name: "Turn off" }).click();
  await panel.getByLabel("Password").fill(ADMIN.password);
  await panel.getByLabel("Code").fill(recovery[1] ?? "");
  await panel.getByRole("button", { name: "Turn off" }).click();
  await expect(panel).toContainText("Off");
  await page.reload();
  await expect(panel.getByRole("button", { name: "Set up" })).toBeVisible();
});

test("the account page: password, sign-ins", async ({ page, simora }) => {
  const [one, two] = [await connect(simora), await connect(simora)];
  await one.auth.signInWithPassword(ADMIN);
  await two.auth.signInWithPassword(ADMIN);
  await signIn(page);
  await expect(dashboard(page)).toBeVisible();
  await page.goto("/admin/account");
  const signIns = page.getByRole("region", { name: "Sign-ins" }).getByRole("row");
  await expect(signIns).toHaveCount(4);
  await expect(signIns.filter({ hasText: "This device" })).toContainText("127.0.0.1");
  await expect(signIns.filter({ hasText: "This device" })).toContainText("Chrome on");
  await signIns.getByRole("button", { name: /^Sign out/ }).first().click();
  await expect(signIns).toHaveCount(3);
  await page.getByRole("button", { name: "Sign out everywhere else" }).click();
  await expect(signIns).toHaveCount(2);
  expect((await one.auth.getUser()).error).not.toBeNull();
  expect((await two.auth.getUser()).error).not.toBeNull();

  const form = page.getByRole("region", { name: "Password", exact: true });
  await form.getByLabel("Current password").fill("wrong wrong wrong wrong");
  await form.getByLabel("New password", { exact: true }).fill("simora-admin-simora");
  await form.getByLabel("New password, again").fill("something else");
  await form.getByRole("button").click();
  await expect(form.getByText("This is not the same password.")).toBeVisible();
  await form.getByLabel("New password, again").fill("simora-admin-simora");
  await form.getByRole("button").click();
  await expect(form.getByText("Your current password is not right")).toBeVisible();
  await form.getByLabel("Current password").fill(ADMIN.password);
  await form.getByRole("button").click();
  await expect(form.getByText("easy to guess")).toBeVisible();
  for (const label of ["New password", "New password, again"]) {
    await form.getByLabel(label, { exact: true }).fill(NEXT);
  }
  await form.getByRole("button").click();
  await expect(page.locator(".toast")).toContainText("Password Changed");
  await page.getByRole("button", { name: "Logout" }).click();
  await signIn(page, NEXT);
  await expect(dashboard(page)).toBeVisible();
});

test.describe("where a second factor is required", () => {
  test.use({ env: { ...ENV, SIMORA_REQUIRE_SECOND_FACTOR: "true" } });
  test("an admin without one sets it up first", async ({ page }) => {
    await signIn(page);
    await expect(page.getByRole("heading", { name: "Set up a second factor" })).toBeVisible();
    const secret = (await page.locator("code").textContent()) ?? "";
    await page.getByLabel("Code").fill(totp(secret));
    await page.getByRole("button", { name: "Turn on" }).click();
    await expect(page.getByText("There are no recovery codes.")).toBeVisible();
    await page.getByRole("button", { name: "Make new recovery codes" }).click();
    await expect(page.getByRole("list", { name: "Recovery codes" }).getByRole("listitem")).toHaveCount(10);
  });
});

/** A real identity provider, where somebody is always signed in. */
async function runProvider(email: string, groups = ""): Promise<{ env: Record<string, string>; process: ChildProcess }> {
  const root = resolve(import.meta.dirname, "../..");
  const binary = join(mkdtempSync(join(tmpdir(), "simora-idp-")), "idp");
  execFileSync("go", ["build", "-o", binary, "./tests/idp"], { cwd: root });
  const child = spawn(binary, ["-email", email, "-groups", groups]);
  const line = await new Promise<string>((found) => createInterface({ input: child.stdout }).once("line", found));
  const { issuer, id, secret } = JSON.parse(line) as Record<string, string>;
  return { process: child, env: { SIMORA_OIDC_ISSUER: issuer, SIMORA_OIDC_CLIENT_ID: id, SIMORA_OIDC_CLIENT_SECRET: secret, SIMORA_OIDC_NAME: "Example Login" } as Record<string, string> };
}

test("through the identity provider", async ({ browser }) => {
  test.slow(); // it is built first
  const mine = await runProvider(ADMIN.email);
  const simora = await Simora.start({ ...ENV, ...mine.env });
  const page = await browser.newPage({ baseURL: simora.url });
  const refusals: string[] = [];
  page.on("console", (message) => /Content.Security.Policy|Trusted/i.test(message.text()) && refusals.push(message.text()));
  try {
    await page.goto("/admin/login");
    await page.getByRole("button", { name: "Sign in with Example Login" }).click();
    await expect(dashboard(page)).toBeVisible();
    expect(Object.keys(await page.evaluate(() => ({ ...localStorage }))).sort()).toEqual([expect.stringMatching(/^sb-.*-auth-token$/), "simora-device"]);
    await page.goto("/admin/account");
    await expect(page.getByRole("row").filter({ hasText: "This device" })).toContainText("Single sign-on");
    await page.getByRole("button", { name: "Logout" }).click();
    await expect(page.getByRole("heading", { name: "Admin sign-in" })).toBeVisible();

    // An address that somebody else was sent away with leads nowhere.
    const thief = await fetch(`${simora.url}/auth/v1/authorize?provider=oidc&code_challenge=${"A".repeat(43)}&code_challenge_method=s256`, { redirect: "manual" });
    expect(thief.status).toBe(303);
    await page.goto(thief.headers.get("location") ?? "");
    await expect(page.locator(".toast")).toContainText("started in another browser");
    await page.goto(`${simora.url}/auth/v1/callback?state=x&code=y`);
    await expect(page.locator(".toast")).toContainText("That took too long");
    await page.goto(`${simora.url}/auth/v1/callback?error=access_denied`);
    await expect(page.locator(".toast")).toContainText("did not sign you in");
    expect(refusals).toEqual([]);
    expect(simora.log.join("\n"), "no code, no token in the log").not.toMatch(/code=|eyJ/);
  } finally {
    await page.close();
    await simora.dispose();
    mine.process.kill();
  }
});

test("somebody the identity provider knows and we do not", async ({ browser }) => {
  test.slow();
  const idp = await runProvider("stranger@example.com");
  const simora = await Simora.start({ ...ENV, ...idp.env });
  const page = await browser.newPage({ baseURL: simora.url });
  try {
    await page.goto("/admin/login");
    await page.getByRole("button", { name: "Sign in with Example Login" }).click();
    await expect(page.locator(".toast")).toContainText("Nobody here has your verified email address");
    await expect(page).toHaveURL(/\/admin\/login$/);
  } finally {
    await page.close();
    await simora.dispose();
    idp.process.kill();
  }
});

test("somebody whom the identity provider's claim makes a viewer", async ({ browser }) => {
  test.slow();
  const idp = await runProvider("looker@example.com", "staff,training");
  const claims = { SIMORA_OIDC_SCOPES: "groups", SIMORA_OIDC_ADMINS: "groups=owners", SIMORA_OIDC_VIEWERS: "groups=training", SIMORA_OIDC_PROVISION: "true" };
  const simora = await Simora.start({ ...ENV, ...idp.env, ...claims });
  const page = await browser.newPage({ baseURL: simora.url });
  try {
    await page.goto("/admin/login");
    await page.getByRole("button", { name: "Sign in with Example Login" }).click();
    await expect(dashboard(page)).toBeVisible();
    await expect(page.getByRole("link", { name: "Sessions", exact: true })).toBeVisible();
    await expect(page.getByRole("link", { name: "Audit log" }), "what viewers don't see").toHaveCount(0);

    // Without a password, the sign-in of a moment ago is the proof.
    await page.getByRole("link", { name: /^Your account/ }).click();
    const factor = page.getByRole("region", { name: "Second factor" });
    await factor.getByRole("button", { name: "Set up" }).click();
    await factor.getByRole("button", { name: "Continue" }).click();
    await expect(factor.getByRole("img", { name: "QR code" })).toBeVisible();
    const form = page.getByRole("region", { name: "Password", exact: true });
    for (const label of ["New password", "New password, again"]) {
      await form.getByLabel(label, { exact: true }).fill(NEXT);
    }
    await form.getByRole("button", { name: "Set password" }).click();
    await expect(page.locator(".toast")).toContainText("Password Changed");
    await expect(form.getByLabel("Current password")).toBeVisible();
  } finally {
    await page.close();
    await simora.dispose();
    idp.process.kill();
  }
});

import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import validation from "@learninglocker/xapi-validation";
import type { Page } from "@playwright/test";
import { MESSAGES, PAGE, RunOnPage } from "./run.ts";
import { expect, test as base } from "./simora.ts";

// Another system of the buyer's, and a learning record store, on this machine.

const ADMIN = { email: "admin@simora.example", password: "correct horse battery staple" };

interface Request {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

class Listener {
  readonly received: Request[] = [];
  status = 200;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      let body = "";
      for await (const part of request) body += part;
      this.received.push({ path: request.url ?? "", headers: request.headers, body });
      response.writeHead(this.status, { "Content-Type": "application/json" }).end("[]");
    });
  }

  static async start(): Promise<Listener> {
    const listener = new Listener();
    await new Promise<void>((ready) => listener.#server.listen(0, "127.0.0.1", ready));
    return listener;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const test = base.extend<{ receiver: Listener; records: Listener }>({
  receiver: async ({}, use) => {
    const listener = await Listener.start();
    await use(listener);
    listener.stop();
  },
  records: async ({}, use) => {
    const listener = await Listener.start();
    await use(listener);
    listener.stop();
  },
  env: async ({ records }, use) =>
    use({
      SIMORA_ADMIN_EMAIL: ADMIN.email,
      SIMORA_ADMIN_PASSWORD: ADMIN.password,
      SIMORA_HOOKS_PRIVATE: "true",
      SIMORA_XAPI_ENDPOINT: `${records.url}/xapi`,
      SIMORA_XAPI_KEY: "simora",
      SIMORA_XAPI_SECRET: "secret",
    }),
});

const toast = (page: Page) => page.locator(".toast");

async function open(page: Page): Promise<void> {
  await page.goto("/admin/login");
  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password").fill(ADMIN.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Integrations" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Integrations" })).toBeVisible();
}

async function create(page: Page, url: string, ...events: string[]): Promise<string> {
  await page.getByLabel("Address").fill(url);
  await page.getByRole("checkbox", { name: "Run finished" }).uncheck();
  for (const event of events) await page.getByRole("checkbox", { name: event }).check();
  await page.getByRole("button", { name: "Create webhook" }).click();
  return page.locator("code", { hasText: "whsec_" }).innerText();
}

/** What breaks the rules of xAPI in a statement, by the validator of an open record store. */
const complaints = (statement: unknown) => validation.default(statement).map(String);

const line = (page: Page, event: string) => page.getByRole("row").filter({ hasText: event });

test("webhook: create, test, finish a run, see the delivery, send again, off, delete", async ({ page, browser, simora, receiver }) => {
  test.slow();
  await open(page);
  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect(page.locator("#url-problem")).toHaveText("Enter the address that receives the events.");
  await page.getByLabel("Address").fill("http://example.com/hook");
  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect(page.locator("#url-problem")).toHaveText("Use an address that starts with https://.");
  const url = `${receiver.url}/hook`;
  const secret = await create(page, url, "Run finished", "Report mailed");
  await page.getByRole("button", { name: "I have kept it" }).click();
  await expect(page.getByText("whsec_")).toBeHidden();
  await page.reload();
  await expect(page.getByText(url)).toBeVisible();
  await expect(page.getByText("whsec_"), "the secret is shown once").toBeHidden();

  await page.getByRole("button", { name: `Send a test to ${url}` }).click();
  await expect(toast(page)).toContainText("Test queued");
  await expect(line(page, "Test")).toContainText("Delivered");

  const visitor = await browser.newPage({ baseURL: simora.url });
  const run = new RunOnPage(visitor, PAGE);
  await run.start();
  await run.say(MESSAGES[0]);
  await run.endEarly();
  await run.mail("sam@hospital.example");
  const overall = await run.overall();
  await expect(line(page, "Run finished")).toContainText("Delivered", { timeout: 30_000 });
  await expect(line(page, "Report mailed")).toContainText("Delivered", { timeout: 30_000 });

  expect(receiver.received).toHaveLength(3);
  for (const { headers, body } of receiver.received) {
    const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    const key = Buffer.from(secret.replace("whsec_", ""), "base64");
    expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
    expect(body).not.toContain("sam@hospital.example");
    expect(body).not.toContain(MESSAGES[0]);
  }
  const finished = receiver.received.map(({ body }) => JSON.parse(body)).find(({ type }) => type === "run.finished");
  expect(finished.data).toMatchObject({ score: Number(overall), turns: 1, scenario: { industry: "healthcare" } });

  receiver.status = 500;
  await line(page, "Run finished").getByRole("button", { name: "Send again" }).click();
  await expect(toast(page)).toContainText("Queued once more");
  await expect(line(page, "Run finished")).toContainText("the receiver answered 500");
  await expect(line(page, "Run finished")).toContainText("Waiting");
  const ids = receiver.received.filter(({ body }) => body.includes("run.finished")).map(({ headers }) => headers["webhook-id"]);
  expect(ids, "again under the same id").toEqual([ids[0], ids[0]]);

  await page.getByRole("button", { name: `Turn off ${url}` }).click();
  await expect(toast(page)).toContainText("Webhook is off");
  await expect(page.getByRole("button", { name: `Send a test to ${url}` })).toBeDisabled();
  await page.getByRole("button", { name: `Delete ${url}` }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete webhook" }).click();
  await expect(page.getByText("No webhook yet.")).toBeVisible();
  await expect(line(page, "Run finished"), "its deliveries are gone").toHaveCount(0);
});

test("contact messages with personal data, for who asks for it", async ({ page, simora, receiver }) => {
  await open(page);
  await create(page, `${receiver.url}/plain`, "Contact message received");
  await page.getByLabel("Send personal data, too").check();
  await create(page, `${receiver.url}/whole`, "Contact message received");
  const { publicKey } = (await (await fetch(`${simora.url}/config.json`)).json()) as { publicKey: string };
  await fetch(`${simora.url}/functions/v1/send-contact-email`, {
    method: "POST",
    headers: { apikey: publicKey, Authorization: `Bearer ${publicKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "Ada Okoye", email: "ada@b.example", reason: "demo", message: "Please call." }),
  });
  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(2);
  const data = (path: string) => JSON.parse(receiver.received.find((request) => request.path === path)?.body ?? "{}").data;
  expect(data("/whole")).toMatchObject({ name: "Ada Okoye", email: "ada@b.example", message: "Please call.", reason: "demo" });
  expect(Object.keys(data("/plain")).sort()).toEqual(["messageId", "reason", "receivedAt"]);
});

test("a finished run reaches the learning record store, in statements that its validator accepts", async ({ page, browser, simora, records }) => {
  test.slow();
  await open(page);
  await expect(page.getByRole("region", { name: "Learning record store" })).toContainText(`${records.url}/xapi`);
  const run = new RunOnPage(await browser.newPage({ baseURL: simora.url }), PAGE);
  await run.start();
  await run.say(MESSAGES[0]);
  await run.say(MESSAGES[1]);
  await run.endEarly();
  await expect.poll(() => records.received.length, { timeout: 30_000 }).toBe(1);
  await expect(line(page, "Learning records of a run")).toContainText("Delivered", { timeout: 30_000 });
  for (const { path, headers, body } of records.received) {
    expect(path).toBe("/xapi/statements");
    expect(headers["x-experience-api-version"]).toBe("1.0.3");
    expect(headers.authorization).toBe(`Basic ${Buffer.from("simora:secret").toString("base64")}`);
    const statements = JSON.parse(body) as { verb: { id: string }; actor: unknown }[];
    expect(statements.length).toBeGreaterThan(5);
    expect(statements.filter(({ verb }) => verb.id.endsWith("/completed"))).toHaveLength(1);
    for (const statement of statements) {
      expect(complaints(statement), JSON.stringify(statement)).toEqual([]);
    }
  }
  expect(complaints({ ...JSON.parse(records.received[0]?.body ?? "[]")[0], actor: {} }), "the validator can say no").not.toEqual([]);
});

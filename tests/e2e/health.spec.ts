import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { expect, test } from "./simora.ts";

const ADMIN = { email: "admin@simora.example", password: "correct horse battery staple" };

/** A mail server that knows no mailbox until it is told otherwise. */
class Mail {
  refuses = true;
  delivered = 0;
  readonly server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: (_address, _session, answer) => answer(this.refuses ? Object.assign(new Error("no such mailbox"), { responseCode: 550 }) : null),
    onData: (stream, _session, answer) => {
      stream.resume().on("end", () => {
        this.delivered++;
        answer();
      });
    },
  });
}

const withMail = test.extend<{ mail: Mail }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's form
  mail: async ({}, use) => {
    const mail = new Mail();
    await new Promise<void>((listening) => mail.server.listen(0, "127.0.0.1", listening));
    await use(mail);
    await new Promise<void>((closed) => mail.server.close(() => closed()));
  },
  env: async ({ mail }, use) => {
    const { port } = mail.server.server.address() as AddressInfo;
    await use({
      SIMORA_ADMIN_EMAIL: ADMIN.email,
      SIMORA_ADMIN_PASSWORD: ADMIN.password,
      SIMORA_SMTP_URL: `smtp://127.0.0.1:${port}?tls=none`,
      SIMORA_CONTACT_TO: "desk@simora.example",
    });
  },
});

withMail("a letter that was refused is seen by the admin, and sent once that was mended", async ({ page, simora, mail }) => {
  const { publicKey } = (await (await fetch(`${simora.url}/config.json`)).json()) as { publicKey: string };
  await fetch(`${simora.url}/functions/v1/send-contact-email`, {
    method: "POST",
    headers: { "Content-Type": "application/json", apikey: publicKey, Authorization: `Bearer ${publicKey}` },
    body: JSON.stringify({ name: "Ann", email: "ann@hospital.example", reason: "demo", message: "Please call." }),
  });
  await page.goto("/admin/login");
  await page.getByLabel("Email").fill(ADMIN.email);
  await page.getByLabel("Password").fill(ADMIN.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Health", exact: true }).click();
  const parts = page.getByRole("table").filter({ hasText: "Disk space" });
  await expect(parts.getByRole("row", { name: /^Database Works/ })).toBeVisible();
  await expect(parts.getByRole("row", { name: /^Language model.*Not configured/ })).toBeVisible();
  await expect(page.getByText("Answers this page")).toBeVisible();
  const letter = page.getByRole("row", { name: /^Contact message/ });
  await expect(letter).toContainText("550");
  await expect(letter).not.toContainText("@");
  mail.refuses = false;
  await letter.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText("No letter was given up")).toBeVisible();
  await expect.poll(() => mail.delivered).toBe(1);
});

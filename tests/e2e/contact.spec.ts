import type { Page } from "@playwright/test";
import { expect, test } from "./simora.ts";

const form = (page: Page) => page.getByRole("form", { name: "Contact form" });

async function write(page: Page): Promise<void> {
  await form(page).getByLabel("Name").fill("Ada Okoye");
  await form(page).getByLabel("Email").fill("ada@hospital.example");
  await form(page).getByLabel("Organization").fill("St Mary’s");
  await form(page).getByLabel("Message").fill("We train triage nurses.\nCan you show us yours?");
}

const send = (page: Page) => form(page).getByRole("button", { name: "Send message" }).click();

for (const [link, reason] of [
  ["/contact?reason=demo", "demo"],
  ["/contact?reason=privacy", "privacy"],
  ["/contact?reason=partnership", "partnership"],
  ["/contact?reason=<script>", ""],
  ["/contact", ""],
] as const) {
  test(`${link} preselects "${reason}"`, async ({ page }) => {
    await page.goto(link);
    await expect(form(page).getByLabel("Reason")).toHaveValue(reason);
  });
}

test("the buttons that lead here bring their reason", async ({ page }) => {
  for (const [from, name, reason] of [
    ["/", "Book a Demo", "demo"],
    ["/platform", "Book a Demo", "demo"],
    ["/privacy", "Contact us about privacy", "privacy"],
    ["/partners", "Talk about a partnership", "partnership"],
  ] as const) {
    await page.goto(from);
    await page.getByRole("main").getByRole("link", { name }).click();
    await expect(form(page).getByLabel("Reason"), from).toHaveValue(reason);
  }
});

test("a message reaches the company, with the visitor to answer to", async ({ page, simora }) => {
  await page.goto("/contact?reason=demo");
  await write(page);
  await send(page);
  const toast = page.locator(".toast");
  await expect(toast).toContainText("Message Sent! ✓");
  await expect(toast).toContainText("we will respond within 24 hours");
  await expect(form(page).getByLabel("Message")).toHaveValue("");
  await expect(form(page).getByLabel("Name")).toHaveValue("");

  const [letter] = await simora.letters();
  expect(letter?.to).toMatchObject({ text: "hello@simora.example" });
  expect(letter?.replyTo?.text).toBe("ada@hospital.example");
  expect(letter?.text).toContain("Can you show us yours?");
  expect(letter?.subject).toContain("demo");
});

test.describe("to a mailbox of the company's choice", () => {
  test.use({ env: { SIMORA_CONTACT_TO: "sales@simora.example" } });
  test("it goes there", async ({ page, simora }) => {
    await page.goto("/contact?reason=pricing");
    await write(page);
    await send(page);
    await expect(page.locator(".toast")).toContainText("Message Sent!");
    const [letter] = await simora.letters();
    expect(letter?.to).toMatchObject({ text: "sales@simora.example" });
  });
});

test("what is missing is said at its field", async ({ page, simora }) => {
  await page.goto("/contact");
  await form(page).getByLabel("Email").fill("nobody");
  await send(page);
  await expect(form(page).getByText("Enter your name, up to 200 characters.")).toBeVisible();
  await expect(form(page).getByText("Write it like name@example.com.")).toBeVisible();
  await expect(form(page).getByText("Choose what your message is about.")).toBeVisible();
  await expect(form(page).getByText("Write your message, up to 5000 characters.")).toBeVisible();
  await expect(form(page).getByLabel("Name")).toBeFocused();
  await expect(form(page).getByLabel("Name")).toHaveAccessibleDescription(/Enter your name/);
  expect(await simora.letters()).toHaveLength(0);
});

test("the server is gone: nothing typed is lost, and it goes out once when the server is back", async ({ page, simora }) => {
  await page.goto("/contact?reason=support");
  await write(page);
  await simora.kill();
  await send(page);
  const toast = page.getByRole("alert").filter({ hasText: "Failed to Send" });
  await expect(toast).toContainText("Please try again or email us directly at hello@simora.example");
  await expect(form(page).getByLabel("Message")).toHaveValue(/triage nurses/);

  const again = await simora.restart();
  try {
    await page.reload();
    await expect(form(page).getByLabel("Message")).toHaveValue(/triage nurses/);
    await expect(form(page).getByLabel("Reason")).toHaveValue("support");
    await send(page);
    await expect(page.locator(".toast")).toContainText("Message Sent!");
    expect(await again.letters()).toHaveLength(1);
  } finally {
    await again.kill();
  }
});

test("the hidden field is out of everybody's way", async ({ page }) => {
  await page.goto("/contact");
  const trap = page.locator("input[name=reference]");
  await expect(trap).not.toBeInViewport();
  await expect(trap).toHaveAttribute("tabindex", "-1");
  expect(await page.getByLabel("Leave this field empty").and(page.getByRole("textbox")).count()).toBe(0);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });
  test("the page says how to write", async ({ page }) => {
    await page.goto("/contact");
    await expect(page.locator(".contact-noscript")).toBeVisible(); // text in noscript has no locator of its own
    await expect(page.getByRole("link", { name: "hello@simora.example" }).first()).toHaveAttribute("href", "mailto:hello@simora.example");
  });
});

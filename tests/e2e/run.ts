import type { Locator, Page } from "@playwright/test";
import { expect } from "./simora.ts";

export const OPENING =
  "You're a nurse in the ER. A patient arrives complaining of severe chest pain radiating to their left arm. They're sweating and look pale. Vitals: BP 150/95, HR 110, O2 sat 94%. What's your first action?";

/** What a good nurse says, a message a turn. */
export const MESSAGES = [
  "Hi Rosa, I'm Sam, your nurse. I'm taking a 12-lead ECG right now. When did the pain start?",
  "I can see how frightening this is, I'm staying with you. Are you allergic to anything, aspirin included?",
  "Please chew this aspirin, 300 mg. It helps to keep the artery open.",
  "How bad is the pain from zero to ten?",
  "I'm putting you on the monitor and taking bloods for troponin.",
  "Doctor, 61-year-old woman with chest pain for forty minutes, please come to the bedside now.",
  "Do you take any tablets every day?",
  "The team is here, Rosa. We will explain each step to you.",
] as const;

/** One of the two places where the emergency room is played. */
export interface Surface {
  name: "page" | "widget";
  path: string;
  complete: string;
}

export const PAGE: Surface = {
  name: "page",
  path: "/try/healthcare",
  complete: "Scenario Complete - See Your Report Below",
};
export const WIDGET: Surface = {
  name: "widget",
  path: "/industries/healthcare",
  complete: "Scenario Complete - See Your Summary Below",
};

/** A run as a visitor sees it. */
export class RunOnPage {
  readonly page: Page;
  readonly surface: Surface;
  readonly input: Locator;
  readonly log: Locator;
  readonly gate: Locator;

  constructor(page: Page, surface: Surface) {
    this.page = page;
    this.surface = surface;
    this.input = page.getByRole("textbox", { name: "Your message" });
    this.log = page.getByRole("log");
    this.gate = page.getByRole("dialog", { name: "Your report is ready" });
  }

  async start(): Promise<void> {
    await this.page.goto(this.surface.path);
    await this.page.getByRole("button", { name: "Start Scenario" }).click();
    if (this.surface.name === "widget") {
      await this.page.getByRole("button", { name: "Begin Scenario" }).click();
    }
    await expect(this.log.getByText(OPENING)).toBeVisible();
  }

  /** Sends a message without waiting for the answer. */
  async send(message: string): Promise<void> {
    await this.input.fill(message);
    await this.input.press("Enter");
  }

  /** Sends a message and waits for the answer to it. */
  async say(message: string): Promise<void> {
    const before = await this.answers().count();
    await this.send(message);
    await expect(this.answers()).toHaveCount(before + 1);
  }

  /** What the virtual human said. */
  answers(): Locator {
    return this.page.locator(".said-them");
  }

  /** Plays on until the run is complete: at its last turn, or when the situation is resolved. */
  async sayAll(already = 0): Promise<void> {
    for (const message of MESSAGES.slice(already)) {
      await this.say(message);
      await expect(this.input.or(this.gate).first()).toBeVisible();
      if (await this.gate.isVisible()) {
        return;
      }
    }
  }

  /** The overall score that the report shows. */
  async overall(): Promise<string> {
    const figure = this.page.locator("strong:has(+ span:text-is('Overall score, of 100'))");
    return (await figure.innerText()).trim();
  }

  async endEarly(): Promise<void> {
    await this.page.getByRole("button", { name: "End Scenario Early" }).click();
    await this.page.getByRole("alertdialog").getByRole("button", { name: "End Scenario" }).click();
  }

  async mail(address: string): Promise<void> {
    await this.gate.getByLabel("Work email").fill(address);
    await this.gate.getByRole("button", { name: "Send and show my report" }).click();
  }
}

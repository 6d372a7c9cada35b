import { defineConfig, devices } from "@playwright/test";

// Debian's Chromium, without the services it would like to call.
const chromium = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

export default defineConfig({
  testDir: ".",
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: !!process.env.CI,
  // A second try is reported as "flaky", never hidden.
  retries: process.env.CI ? 1 : 0,
  reporter: [["list"]],
  use: {
    launchOptions: chromium,
    // A trace takes pictures all the time: in CI only of what failed once.
    trace: process.env.CI ? "on-first-retry" : "retain-on-failure",
  },
  projects: [
    {
      name: "desktop",
      testMatch: /.*\.spec\.ts/,
      use: { ...devices["Desktop Chrome"], viewport: { width: 1440, height: 900 } },
    },
    {
      name: "phone",
      testMatch: /(journey|errors)\.spec\.ts/,
      use: { ...devices["Pixel 7"], viewport: { width: 390, height: 844 } },
    },
    {
      name: "screenshots",
      testMatch: /.*\.shots\.ts/,
      use: { ...devices["Desktop Chrome"] },
    },
  ],
});

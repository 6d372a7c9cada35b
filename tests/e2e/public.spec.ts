import { seeAll, ROUTES } from "./pages.ts";
import { expect, test } from "./simora.ts";

// What the specification's section 2 says of the public pages.

test("home: hero with its two buttons", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("main").getByRole("button", { name: "Try a Scenario" }).click();
  await expect(page.getByRole("dialog", { name: "Choose Your Training Scenario" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("main").getByRole("link", { name: "Book a Demo" }).click();
  await expect(page).toHaveURL(/\/contact\?reason=demo$/);
});

test("home: three cards of the offerings lead to their sections", async ({ page }) => {
  for (const [name, anchor] of [
    ["SimCloud", "simcloud"],
    ["Simpelo", "simpelo"],
    ["SimPulse", "simpulse"],
  ] as const) {
    await page.goto("/");
    await page.getByRole("main").getByRole("link", { name: new RegExp(`Explore ${name}`) }).click();
    await expect(page).toHaveURL(new RegExp(`/platform#${anchor}$`));
    await expect(page.locator(`#${anchor}`).getByRole("heading", { level: 2, name })).toBeInViewport();
  }
});

test("home: logo wall, difference, privacy", async ({ page }) => {
  await page.goto("/");
  const main = page.getByRole("main");
  const wall = main.getByRole("region", { name: "Trusted by Leading Institutions" });
  await expect(wall.getByRole("listitem")).toHaveText([
    "University", "Technical university", "Airline", "Insurer", "Pharma company", "Cloud provider", "Energy company", "Red Cross body", "Health group", "Technology park",
  ]);
  const difference = main.getByRole("region", { name: "Simora Difference" });
  for (const name of ["Unified Ecosystem", "Performance You Can Measure", "Speed to Reality: Minutes, Not Months"]) {
    await expect(difference.getByRole("heading", { level: 3, name, exact: true })).toBeVisible();
  }
  const privacy = main.getByRole("region", { name: "Privacy & Data Security" });
  await expect(privacy.getByRole("heading", { level: 3 })).toHaveCount(4);
  await privacy.getByRole("link", { name: "Learn More About Our Security" }).click();
  await expect(page).toHaveURL(/\/privacy$/);
});

test("home: the example runs change by keyboard, one at a time", async ({ page }) => {
  await page.goto("/");
  const shown = page.getByRole("group", { name: /Score by turn/ });
  await expect(shown).toHaveCount(1);
  await expect(shown).toHaveAccessibleName(/^Emergency room/);
  await page.getByRole("radio", { name: "Emergency room" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(shown).toHaveAccessibleName(/^Aircraft cabin/);
  await page.keyboard.press("ArrowRight");
  await expect(shown).toHaveAccessibleName(/^Boardroom/);
});

test("platform: heading, three sections, closing call", async ({ page }) => {
  await page.goto("/platform");
  const main = page.getByRole("main");
  await expect(main.getByRole("heading", { level: 1 })).toHaveText("Three technologies. One powerful ecosystem.");
  await expect(main.getByText("SOPs, manuals and documents into adaptive AI dialogue simulations with real-time performance scoring and feedback")).toBeVisible();
  await expect(main.getByText("scales from 10 to over 100,000 learners")).toBeVisible();
  await expect(main.getByText("Turns manikins, flight simulators and VR headsets into connected IoT devices with haptic feedback.")).toBeVisible();
  await expect(main.getByText("VR modules are offered through a cloud platform and a device-connection service.")).toBeVisible();
  await expect(main.getByRole("heading", { name: "Ready to Upscale Training?" })).toBeVisible();
  await main.getByRole("button", { name: "Try a Scenario" }).click();
  await expect(page.getByRole("dialog", { name: "Choose Your Training Scenario" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(main.getByRole("link", { name: "Book a Demo" })).toHaveAttribute("href", "/contact?reason=demo");
});

test("header: on the platform its links scroll smoothly to the section, from elsewhere they lead there", async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 600 });
  await page.goto("/platform");
  const nav = page.getByRole("navigation", { name: "Main" });
  await page.evaluate(() => Object.assign(window, { stayed: true }));
  await nav.getByText("Platform").click();
  await nav.getByRole("link", { name: "SimPulse" }).click();
  await expect.poll(async () => Math.round((await page.locator("#simpulse").boundingBox())?.y ?? -1)).toBe(80);
  expect(await page.evaluate(() => "stayed" in window), "the page was not loaded again").toBe(true);
  await page.goto("/partners");
  await nav.getByText("Platform").click();
  await nav.getByRole("link", { name: "Simpelo" }).click();
  await expect(page).toHaveURL(/\/platform#simpelo$/);
  await expect.poll(async () => Math.round((await page.locator("#simpelo").boundingBox())?.y ?? -1)).toBe(80);
});

test("header and footer: every entry, and where it leads", async ({ page }) => {
  await page.goto("/");
  const nav = page.getByRole("navigation", { name: "Main" });
  const links = async (scope: typeof nav) => scope.getByRole("link", { includeHidden: true }).evaluateAll((all) => all.map((a) => `${a.textContent?.trim()} ${a.getAttribute("href")}`));
  expect(await links(nav)).toEqual([
    "SimCloud /platform#simcloud", "Simpelo /platform#simpelo", "SimPulse /platform#simpulse",
    "Healthcare /industries/healthcare", "Airlines /industries/airlines", "Corporate / Sales /industries/corporate",
    "Privacy & Security /privacy", "Partner With Us /partners", "Contact /contact",
  ]);
  const banner = page.getByRole("banner");
  await expect(banner.getByRole("link", { name: "Simora home" })).toHaveAttribute("href", "/");
  await expect(banner.getByRole("link", { name: "Book Demo" })).toHaveAttribute("href", "/contact?reason=demo");
  const footer = page.getByRole("contentinfo");
  expect(await links(footer)).toEqual([
    "Simora /",
    "SimCloud /platform#simcloud", "Simpelo /platform#simpelo", "SimPulse /platform#simpulse",
    "Privacy & Security /privacy", "Partner With Us /partners", "Contact /contact",
    "Healthcare Demo /industries/healthcare", "Aviation Demo /industries/airlines", "Corporate Demo /industries/corporate",
  ]);
  await expect(footer.getByRole("heading", { level: 2 })).toHaveText(["Product", "Company", "Try Now"]);
  await expect(footer).toContainText("Unlimited Knowledge. Infinite Possibilities.");
  await expect(footer).toContainText(`© ${new Date().getFullYear()} Simora.`);
});

test("scenario dialog: its texts, and three cards to the industries", async ({ page }) => {
  await page.goto("/privacy");
  await page.getByRole("button", { name: "Try Demo" }).click();
  const dialog = page.getByRole("dialog", { name: "Choose Your Training Scenario" });
  await expect(dialog.getByText("Experience our AI-powered simulations in different industries.")).toBeVisible();
  expect(await dialog.getByRole("link").evaluateAll((all) => all.map((a) => `${a.querySelector("b")?.textContent} | ${a.querySelector(".more")?.textContent?.trim()} | ${a.getAttribute("href")}`))).toEqual([
    "Healthcare | Try Medical Scenario | /industries/healthcare",
    "Aviation | Try Cabin Crew Scenario | /industries/airlines",
    "Corporate / Sales | Try Sales Scenario | /industries/corporate",
  ]);
});

for (const [path, slug, figures] of [
  ["/industries/healthcare", "healthcare-emergency", ["45+", "2000+", "+41%"]],
  ["/industries/airlines", "aviation-cabin-crew", ["220", "+70%"]],
  ["/industries/corporate", "corporate-sales", []],
] as const) {
  test(`${path}: hero, widget, case study, three steps, gallery`, async ({ page }) => {
    const asked = page.waitForRequest((request) => request.url().includes("/rest/v1/gallery_media"));
    await page.goto(path);
    const main = page.getByRole("main");
    await expect(main.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(main.locator("[data-island=widget]")).toHaveAttribute("data-props", JSON.stringify({ slug }));
    for (const figure of figures) {
      await expect(main.getByText(figure, { exact: true })).toBeVisible();
    }
    await expect(main.getByRole("heading", { name: /^Case study/ })).toBeVisible();
    await expect(main.getByRole("heading", { level: 3, name: /^[123]\. / })).toHaveCount(3);
    await seeAll(page);
    const industry = path.split("/").at(-1);
    expect(new URL((await asked).url()).search).toBe(`?select=id%2Cfile_path%2Cfile_type%2Ccaption&industry=eq.${industry}&order=display_order.asc`);
    await expect(main.getByText("No photos or films have been published here yet.")).toBeVisible();
  });
}

test("gallery: pictures and films, by keyboard, and a failure that can be repeated", async ({ page }) => {
  // The rows come with the console; the server's side of this call has its own tests.
  let answer = 500;
  await page.route("**/rest/v1/gallery_media?*", (route) =>
    answer === 500
      ? route.fulfill({ status: 500, json: { message: "x" } })
      : route.fulfill({
          json: [
            { id: "1", file_path: "healthcare/1_a.png", file_type: "image", caption: "The ward" },
            { id: "2", file_path: "healthcare/2_b.webm", file_type: "video", caption: null },
            { id: "3", file_path: "healthcare/3_c.png", file_type: "image", caption: "The team" },
          ],
        }),
  );
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  await page.route("**/storage/v1/{object,render/image}/public/**", (route) => route.fulfill({ contentType: "image/png", body: png }));
  await page.goto("/industries/healthcare");
  await seeAll(page);
  await expect(page.getByText("The photos and films could not be loaded.")).toBeVisible();
  answer = 200;
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.locator("video")).toHaveJSProperty("autoplay", false);
  await page.getByRole("button", { name: "Enlarge: The ward" }).focus();
  await page.keyboard.press("Enter");
  const large = page.getByRole("dialog", { name: "Picture" });
  await expect(large.getByRole("img", { name: "The ward" })).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(large.getByRole("img", { name: "The team" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(large).toBeHidden();
  await expect(page.getByRole("button", { name: "Enlarge: The ward" })).toBeFocused();
});

test("privacy: every claim, and the way to ask", async ({ page }) => {
  await page.goto("/privacy");
  const main = page.getByRole("main");
  for (const claim of [
    "Encryption in transit and at rest.", "Dual-region hosting with data sovereignty.", "Role-based access control with audit logs.",
    "90-day default retention for demo sessions.", "No selling or sharing of customer data.", "99.9% uptime.",
  ]) {
    await expect(main.getByText(claim, { exact: true })).toBeVisible();
  }
  await expect(main.getByRole("heading", { name: "Compliance roadmap" })).toBeVisible();
  await expect(main.getByRole("link", { name: "Contact us about privacy" })).toHaveAttribute("href", "/contact?reason=privacy");
});

test("partners: three kinds, and the two ways on", async ({ page }) => {
  await page.goto("/partners");
  const main = page.getByRole("main");
  for (const name of ["Content partners", "Hardware partners", "Institutional partners"]) {
    await expect(main.getByRole("heading", { name })).toBeVisible();
  }
  await expect(main.getByRole("link", { name: "Talk about a partnership" })).toHaveAttribute("href", "/contact?reason=partnership");
  await expect(main.getByRole("link", { name: "See SimCloud" })).toHaveAttribute("href", "/platform#simcloud");
});

test("every page starts at its top", async ({ page }) => {
  for (const route of ROUTES) {
    await page.goto(route);
    await page.evaluate(() => scrollTo(0, 400));
    await page.goto("/");
    expect(await page.evaluate(() => scrollY), route).toBe(0);
  }
});

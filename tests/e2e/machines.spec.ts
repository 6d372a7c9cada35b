import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROUTES } from "./pages.ts";
import { expect, test } from "./simora.ts";

// What those read who do not look: search engines, link previews, home screens,
// scanners.

const PUBLIC = "https://training.example.com";

async function ownersFile(text: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), "simora-owner-")), "site.yaml");
  await writeFile(path, text);
  return path;
}

test.describe("with an owner's file and a public address", () => {
  test.use({
    env: async ({}, use) => {
      const file = await ownersFile(`brand: 'A&B "Sim" <Co>'
tagline: [Learn it., Do it.]
contactEmail: desk@ab.example
company: { legalName: A&B Ltd, address: "1 Street, Town", phone: "+44 20 7946 0000" }
institutions: [{ name: "St <Example>", kind: health }]
`);
      await use({ SIMORA_SITE_FILE: file, SIMORA_PUBLIC_URL: PUBLIC });
    },
  });

  test("every page says who and where it is", async ({ page, violations: _ }) => {
    const descriptions = new Set<string>();
    for (const route of ROUTES) {
      await page.goto(route);
      expect(await page.title(), route).toContain('A&B "Sim" <Co>');
      const meta = (name: string) => page.locator(`meta[property="${name}"], meta[name="${name}"]`).getAttribute("content");
      await expect(page.locator("link[rel=canonical]"), route).toHaveAttribute("href", `${PUBLIC}${route}`);
      expect(await meta("og:url"), route).toBe(`${PUBLIC}${route}`);
      expect(await meta("og:site_name"), route).toBe('A&B "Sim" <Co>');
      descriptions.add((await meta("description")) ?? "");

      const picture = (await meta("og:image")) ?? "";
      expect(picture.startsWith(`${PUBLIC}/assets/`), route).toBe(true);
      const png = await (await page.request.get(picture.slice(PUBLIC.length))).body();
      expect([png.readUInt32BE(16), png.readUInt32BE(20)], route).toEqual([1200, 630]);

      const data = JSON.parse((await page.locator("script[type='application/ld+json']").textContent()) ?? "");
      expect(data["@context"]).toBe("https://schema.org");
      const organization = data["@graph"].find((item: { "@type": string }) => item["@type"] === "Organization");
      expect(organization).toMatchObject({ name: 'A&B "Sim" <Co>', email: "desk@ab.example", url: `${PUBLIC}/` });
    }
    expect(descriptions.size, "each page has a description of its own").toBe(ROUTES.length);
  });

  test("the owner's words are on the pages", async ({ page }) => {
    await page.goto("/");
    await expect(page.getByRole("contentinfo")).toContainText("Learn it. Do it.");
    await expect(page.getByRole("contentinfo")).toContainText("A&B Ltd");
    await expect(page.getByRole("contentinfo")).toContainText("1 Street, Town");
    await expect(page.getByRole("heading", { name: 'A&B "Sim" <Co> Difference' })).toBeVisible();
    await expect(page.getByRole("region", { name: "Trusted by Leading Institutions" }).getByRole("listitem")).toHaveText(["St <Example>"]);
    await page.goto("/contact");
    await expect(page.getByRole("link", { name: "desk@ab.example" }).first()).toBeVisible();
  });

  test("sitemap, robots, manifest, icons", async ({ page, request }) => {
    const sitemap = await (await request.get("/sitemap.xml")).text();
    expect([...sitemap.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc]) => loc).sort()).toEqual(ROUTES.map((route) => `${PUBLIC}${route}`).sort());
    const robots = await (await request.get("/robots.txt")).text();
    expect(robots).toContain(`Sitemap: ${PUBLIC}/sitemap.xml`);
    expect(robots).toContain("Disallow: /admin");
    const manifest = await request.get("/site.webmanifest");
    expect(manifest.headers()["content-type"]).toBe("application/manifest+json");
    const { name, icons } = (await manifest.json()) as { name: string; icons: { src: string; type: string }[] };
    expect(name).toBe('A&B "Sim" <Co>');
    await page.goto("/");
    const linked = await page.locator("link[rel=icon], link[rel=apple-touch-icon]").evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
    for (const src of [...icons.map((icon) => icon.src), ...linked]) {
      const icon = await request.get(src);
      expect(icon.status(), src).toBe(200);
      expect(icon.headers()["content-type"], src).toMatch(/^image\//);
    }
  });

  test("another host is misdirected, and nothing is built from it", async ({ request }) => {
    const answer = await request.get("/", { headers: { Host: "evil.example", "X-Forwarded-Host": "evil.example" } });
    expect(answer.status()).toBe(421);
    const forwarded = await (await request.get("/", { headers: { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http" } })).text();
    expect(forwarded).not.toContain("evil.example");
  });
});

test("a page that is not there is no search result", async ({ page }) => {
  await page.goto("/nowhere");
  await expect(page.locator("meta[name=robots]")).toHaveAttribute("content", "noindex");
  await expect(page.locator("link[rel=canonical]")).toHaveCount(0);
});

test("a crawl of every link and anchor finds nothing dead", async ({ page, simora }) => {
  const ids = new Map<string, Set<string>>();
  const seen = new Set<string>();
  const todo = ["/"];
  const dead: string[] = [];
  const anchors: [from: string, path: string, id: string][] = [];
  for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const response = await page.goto(path);
    if (response?.status() !== 200) dead.push(`${path} answers ${response?.status()}`);
    ids.set(path, new Set(await page.locator("[id]").evaluateAll((all) => all.map((element) => element.id))));
    const targets = await page.locator("a[href], link[href], img[src], script[src], use[href]").evaluateAll((all) =>
      all.map((element) => [element.tagName, new URL(element.getAttribute("href") ?? element.getAttribute("src") ?? "", location.href).href]),
    );
    for (const [tag, href] of targets) {
      const url = new URL(href ?? "");
      if (url.origin !== new URL(simora.url).origin) {
        if (url.protocol !== "mailto:") dead.push(`${path} leads elsewhere: ${href}`);
        continue;
      }
      if (url.hash) anchors.push([path, url.pathname, decodeURIComponent(url.hash.slice(1))]);
      if (tag === "A") todo.push(url.pathname);
      else if (!seen.has(url.pathname)) {
        seen.add(url.pathname);
        const status = (await page.request.get(url.pathname)).status();
        if (status !== 200) dead.push(`${path} needs ${url.pathname}, which answers ${status}`);
      }
    }
  }
  for (const [from, path, id] of anchors) {
    if (!ids.get(path)?.has(id)) dead.push(`${from} leads to ${path}#${id}, which is not there`);
  }
  expect(dead).toEqual([]);
  expect([...seen]).toEqual(expect.arrayContaining([...ROUTES]));
});

test("every answer is hardened", async ({ page, request }) => {
  const asset = await (async () => {
    await page.goto("/");
    return (await page.locator("link[rel=stylesheet]").first().getAttribute("href")) ?? "";
  })();
  for (const path of ["/", "/contact", "/nowhere", asset, "/config.json", "/icon.svg", "/sitemap.xml", "/functions/v1/nothing", "/rest/v1/users", "/storage/v1/object/public/industry-media/x", "/readyz"]) {
    const h = (await request.get(path)).headers();
    expect(h["content-security-policy"], path).toContain("default-src 'none'");
    expect(h["content-security-policy"], path).toContain("frame-ancestors 'none'");
    expect(h["x-content-type-options"], path).toBe("nosniff");
    expect(h["referrer-policy"], path).toBe("strict-origin-when-cross-origin");
    expect(h["cross-origin-opener-policy"], path).toBe("same-origin");
    expect(h["cross-origin-resource-policy"], path).toBe("same-origin");
    expect(h["cross-origin-embedder-policy"], path).toBe("require-corp");
    expect(h["permissions-policy"], path).toContain("camera=()");
    expect(h["set-cookie"], path).toBeUndefined();
  }
  const policy = (await request.get("/")).headers()["content-security-policy"] ?? "";
  expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect((await request.get(asset)).headers()["cache-control"]).toContain("immutable");
});

import type { Page } from "@playwright/test";
import { ROUTES } from "./pages.ts";
import { expect, test } from "./simora.ts";

// What a page may cost before the visitor acts, in bytes over the wire (brotli,
// headers included), everything that is loaded without scrolling. What a
// careful build reaches, and a little room. The figures are printed.

interface Bytes {
  html: number;
  script: number;
  style: number;
  font: number;
  image: number;
  total: number;
}

const BUDGET: Bytes = { html: 15_000, script: 4_700, style: 17_000, font: 60_000, image: 16_000, total: 106_000 };

const KINDS: Record<string, keyof Bytes> = {
  Document: "html",
  Script: "script",
  Stylesheet: "style",
  Font: "font",
  Image: "image",
};

async function load(page: Page, path: string): Promise<{ bytes: Bytes; requests: number }> {
  const bytes: Bytes = { html: 0, script: 0, style: 0, font: 0, image: 0, total: 0 };
  const kinds = new Map<string, string>();
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  session.on("Network.requestWillBeSent", ({ requestId, type }) => kinds.set(requestId, type ?? ""));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const kind = KINDS[kinds.get(requestId) ?? ""];
    if (kind) bytes[kind] += encodedDataLength;
    bytes.total += encodedDataLength;
  });
  await page.goto(path, { waitUntil: "networkidle" });
  await session.detach();
  return { bytes, requests: kinds.size };
}

for (const [name, viewport] of [
  ["desktop", { width: 1440, height: 900 }],
  ["phone", { width: 390, height: 844 }],
] as const) {
  test(`no page costs more than its budget before the visitor acts (${name})`, async ({ page }) => {
    await page.setViewportSize(viewport);
    const rows = [["route", "requests", ...Object.keys(BUDGET)]];
    for (const route of ROUTES) {
      const { bytes, requests } = await load(page, route);
      rows.push([route, String(requests), ...Object.values(bytes).map((n) => n.toLocaleString("en"))]);
      for (const kind of Object.keys(BUDGET) as (keyof Bytes)[]) {
        expect.soft(bytes[kind], `${kind} of ${route}`).toBeLessThanOrEqual(BUDGET[kind]);
      }
    }
    console.log(rows.map((row) => `| ${row.join(" | ")} |`).join("\n"));
  });
}

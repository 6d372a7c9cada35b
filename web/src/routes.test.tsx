import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { renderToString } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { Document } from "./frame/document";
import { ROUTES } from "./routes";

const assets = {
  styles: { site: "/assets/site.css", run: "/assets/run.css" },
  script: "/assets/site.js",
  early: "/assets/early.js",
  font: "/assets/f.woff2",
  share: () => "/assets/share.png",
};
/** The parser would like to load them. */
const withoutStyles = (html: string) => html.replace(/<link rel="stylesheet"[^>]*>/g, "");

const pages = ROUTES.map((route) => {
  const html = renderToString(<Document route={route} assets={assets} />);
  return { route, html, page: new DOMParser().parseFromString(withoutStyles(html), "text/html") };
});

describe.each(pages)("$route.path", ({ route, html, page }) => {
  test("holds nothing that the content security policy forbids", () => {
    expect(html).not.toMatch(/\sstyle="/);
    expect(html).not.toMatch(/\son[a-z]+="/);
    for (const script of page.querySelectorAll("script:not([type='application/ld+json'])")) {
      expect(script.textContent).toBe("");
      expect(script.getAttribute("src")).toMatch(/^\/assets\//);
    }
  });

  test("has one heading, a title, a description and unique ids", () => {
    expect(page.querySelectorAll("h1")).toHaveLength(1);
    expect(route.title).toContain("{%.Brand%}");
    expect(page.querySelector("meta[name=description]")?.getAttribute("content")).toBe(route.description);
    const ids = [...page.querySelectorAll("[id]")].map((element) => element.id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(page.querySelector("#main")).not.toBeNull();
  });

  test("links only to what is there", () => {
    for (const link of page.querySelectorAll("a[href^='/'], a[href^='#']")) {
      const url = new URL(link.getAttribute("href") ?? "", `http://site${route.path === "404" ? "/404" : route.path}`);
      const target = pages.find(
        (other) => other.route.path === url.pathname || (other.route.path === "404" && url.pathname === "/404"),
      );
      expect(target, url.pathname).toBeDefined();
      if (url.hash) {
        expect(target?.page.querySelector(url.hash), url.href).not.toBeNull();
      }
    }
    for (const opener of page.querySelectorAll("[commandfor]")) {
      expect(page.getElementById(opener.getAttribute("commandfor") ?? "")?.tagName).toBe("DIALOG");
    }
  });
});

/** What each folder may import of the others. Imports point down. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  lib: [],
  content: ["drawing"],
  drawing: [],
  contact: ["api", "ui"],
  gallery: ["api"],
  privacy: ["api", "ui", "contact"],
  ui: [],
  api: ["lib"],
  run: ["api", "ui", "lib", "drawing", "content"],
  frame: ["run", "ui", "lib", "drawing", "content", "."],
  admin: ["api", "ui", "drawing", "content"],
  build: ["admin", "frame", "contact", "drawing", "content", "."],
  pages: ["frame", "contact", "run", "ui", "lib", "drawing", "content"],
  ".": ["build", "frame", "pages", "contact", "gallery", "privacy", "run", "ui", "lib", "drawing", "content"],
};

test("imports point down", () => {
  const source = resolve(import.meta.dirname);
  const folder = (file: string) =>
    relative(source, file).split("/").at(-2) === undefined ? "." : (relative(source, file).split("/")[0] ?? ".");
  for (const name of readdirSync(source, { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(name) || /\.test\./.test(name)) {
      continue;
    }
    const file = join(source, name);
    const from = folder(file);
    for (const [, target] of readFileSync(file, "utf8").matchAll(/from "(\.[^"]*)"|import\("(\.[^"]*)"\)/g)) {
      if (target) {
        const to = folder(resolve(dirname(file), target));
        expect(to === from || MAY_IMPORT[from]?.includes(to), `${name} imports ${target}`).toBe(true);
      }
    }
  }
});

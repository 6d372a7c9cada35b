import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import font from "@fontsource-variable/instrument-sans/files/instrument-sans-latin-wdth-normal.woff2?url";
import { renderToString } from "react-dom/server";
import { type Assets, Document } from "./frame/document";
import { ROUTES } from "./routes";

// Run by the build, after the client's assets are there.

const DIST = "dist";

interface Chunk {
  file: string;
}

const MANIFEST = join(DIST, "manifest.json");
const manifest = JSON.parse(readFileSync(MANIFEST, "utf8")) as Record<string, Chunk>;
rmSync(MANIFEST); // for this build only
writeFileSync(join(DIST, ".gitkeep"), ""); // Go builds without a web build, from an empty folder

function built(source: string): string {
  const chunk = manifest[source];
  if (!chunk) {
    throw new Error(`the build made nothing of ${source}`);
  }
  return `/${chunk.file}`;
}

const assets: Assets = {
  styles: [built("src/site.css")],
  script: built("src/site.ts"),
  early: built("src/early.ts"),
  font,
};

for (const route of ROUTES) {
  const html = `<!doctype html>${renderToString(<Document route={route} assets={assets} />)}\n`;
  const file = join(DIST, route.path === "/" ? "index.html" : `${route.path}.html`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, html);
}

// Hashed files are compressed once, here, as tightly as it goes.
for (const name of readdirSync(join(DIST, "assets"))) {
  if ([".js", ".css", ".svg"].includes(extname(name))) {
    const raw = readFileSync(join(DIST, "assets", name));
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    writeFileSync(join(DIST, "assets", `${name}.br`), brotliCompressSync(raw, { params }));
    writeFileSync(join(DIST, "assets", `${name}.gz`), gzipSync(raw, { level: constants.Z_BEST_COMPRESSION }));
  }
}

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import font from "@fontsource-variable/instrument-sans/files/instrument-sans-latin-wdth-normal.woff2?url";
import { renderToStaticMarkup, renderToString } from "react-dom/server";
import { AdminShell } from "../admin/shell";
import { PictureShelf, type Shelf, StillPortrait, stillName } from "../drawing/picture";
import sets from "../drawing/sets.css?raw";
import { type Assets, Document } from "../frame/document";
import { ROUTES, type Route } from "../routes";
import tokens from "../tokens.css?raw";
import { IconDrawing } from "./icon";
import { ico, paint, withValues } from "./paint";
import { ShareDrawing } from "./share-card";
import { manifest, robots, sitemap } from "./site-files";

// Run by the build, after the client's assets are there: renders the pages and
// draws what they show.

const DIST = "dist";

interface Chunk {
  file: string;
}

const chunks: Record<string, Chunk> = {};
for (const part of ["site", "console"]) {
  const manifest = join(DIST, `manifest-${part}.json`);
  Object.assign(chunks, JSON.parse(readFileSync(manifest, "utf8")));
  rmSync(manifest); // for this build only
}
write(".gitkeep", ""); // Go builds without a web build, from an empty folder

function built(source: string): string {
  const chunk = chunks[source];
  if (!chunk) {
    throw new Error(`the build made nothing of ${source}`);
  }
  return `/${chunk.file}`;
}

function write(name: string, content: string | Buffer): void {
  const file = join(DIST, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Writes a file whose name says its content, and returns its address. */
function writeAsset(name: string, ending: string, content: string | Buffer): string {
  const hash = createHash("sha256").update(content).digest("base64url").slice(0, 8);
  const address = `assets/${name}-${hash}.${ending}`;
  write(address, content);
  return `/${address}`;
}

const shelved = new Map<string, string>();

const shelf: Shelf = (still) => {
  const name = stillName(still);
  const address =
    shelved.get(name) ??
    writeAsset(
      name,
      "svg",
      renderToStaticMarkup(<StillPortrait {...still} />).replace(
        /^<svg ([^>]*)>/,
        `<svg xmlns="http://www.w3.org/2000/svg" width="280" height="315" $1><style>${sets.replace(/\s+/g, " ").replace(/\/\*.*?\*\//g, "")}</style>`,
      ),
    );
  shelved.set(name, address);
  return address;
};

const shares = new Map<Route, string>();
for (const route of ROUTES) {
  const drawing = withValues(renderToStaticMarkup(<ShareDrawing {...route.share} />), tokens + sets);
  shares.set(route, writeAsset(`share-${route.share.example}`, "png", await paint(drawing, 1200)));
}

const assets: Assets = {
  styles: { site: built("src/site.css"), run: built("src/run/run.css") },
  script: built("src/site.ts"),
  early: built("src/early.ts"),
  font,
  share: (route) => shares.get(route) as string,
};

for (const route of ROUTES) {
  const page = renderToString(
    <PictureShelf value={shelf}>
      <Document route={route} assets={assets} />
    </PictureShelf>,
  );
  write(route.path === "/" ? "index.html" : `${route.path}.html`, `<!doctype html>${page}\n`);
}

const shell = renderToStaticMarkup(
  <AdminShell style={built("src/admin/admin.css")} script={built("src/admin/main.tsx")} font={font} />,
);
write("admin/index.html", `<!doctype html>${shell}\n`);
write("sitemap.xml", sitemap(ROUTES));
write("robots.txt", robots());
write("site.webmanifest", manifest());
const plate = renderToStaticMarkup(<IconDrawing plate />);
for (const size of [180, 192, 512]) {
  write(`icon-${size}.png`, await paint(plate, size));
}
write("favicon.ico", ico(await paint(renderToStaticMarkup(<IconDrawing plate={false} />), 48), 48));

// Hashed files are compressed once, here, as tightly as it goes.
for (const name of readdirSync(join(DIST, "assets"))) {
  if ([".js", ".css", ".svg"].includes(extname(name))) {
    const raw = readFileSync(join(DIST, "assets", name));
    const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
    write(`assets/${name}.br`, brotliCompressSync(raw, { params }));
    write(`assets/${name}.gz`, gzipSync(raw, { level: constants.Z_BEST_COMPRESSION }));
  }
}

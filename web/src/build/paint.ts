import { readFileSync } from "node:fs";
import { initWasm, Resvg } from "@resvg/resvg-wasm";

// Turns drawings into PNG files, for those who can't show SVG: link previews
// and home screens.

const RASTERISER = "node_modules/@resvg/resvg-wasm/index_bg.wasm";
const FONT = "node_modules/@fontsource/instrument-sans/files/instrument-sans-latin-600-normal.woff2";

const ready = initWasm(readFileSync(RASTERISER));

/** The drawing as PNG, `width` pixels wide. */
export async function paint(svg: string, width: number): Promise<Buffer> {
  await ready;
  const picture = new Resvg(svg, {
    fitTo: { mode: "width", value: width },
    font: { fontBuffers: [readFileSync(FONT)], loadSystemFonts: false, defaultFontFamily: "Instrument Sans" },
  }).render();
  return Buffer.from(picture.asPng());
}

/** The drawing with `var(--name)` replaced by the first value that the style sheet gives it: its light one. */
export function withValues(svg: string, css: string): string {
  return svg.replace(/var\(--([\w-]+)(?:, *[^()]*(?:\([^()]*\))?)?\)/g, (_, name: string) => {
    const value = new RegExp(`--${name}:\\s*([^;]+);`).exec(css)?.[1];
    if (value === undefined) {
      throw new Error(`no style sheet gives --${name} a value`);
    }
    return withValues(value, css);
  });
}

/** An icon file with one PNG in it. */
export function ico(png: Buffer, size: number): Buffer {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2); // an icon
  header.writeUInt16LE(1, 4); // one picture
  header.writeUInt8(size, 6);
  header.writeUInt8(size, 7);
  header.writeUInt16LE(1, 10); // colour planes
  header.writeUInt16LE(32, 12); // bits a pixel
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}

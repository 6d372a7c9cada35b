import { BRAND, SITE_URL } from "../content/company";
import { jsonBlanks } from "../frame/blanks";
import type { Route } from "../routes";

// What search engines, crawlers and home screens ask for. Addresses and names
// are blanks that the server fills.

export function sitemap(routes: readonly Route[]): string {
  const pages = routes
    .filter((route) => !route.unlisted)
    .map((route) => `  <url><loc>${SITE_URL}${route.path}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${pages.join("\n")}\n</urlset>\n`;
}

export function robots(): string {
  return `User-agent: *\nDisallow: /admin\nDisallow: /auth/\nDisallow: /functions/\nDisallow: /rest/\n\nSitemap: ${SITE_URL}/sitemap.xml\n`;
}

export function manifest(): string {
  const icon = (size: number, purpose: string) => ({
    src: `/icon-${size}.png`,
    sizes: `${size}x${size}`,
    type: "image/png",
    purpose,
  });
  return jsonBlanks({
    name: BRAND,
    short_name: BRAND,
    description: "Rehearse the conversation before it counts.",
    start_url: "/",
    display: "browser",
    background_color: "#f5f7f5",
    theme_color: "#f5f7f5",
    icons: [
      { src: "/icon.svg", sizes: "any", type: "image/svg+xml", purpose: "any" },
      icon(192, "any"),
      icon(512, "any"),
      icon(512, "maskable"),
    ],
  });
}

import { BRAND, RETENTION_DAYS, SITE_URL } from "../content/company";
import type { Route } from "../routes";
import { DemoBanner } from "../run/banner";
import { Footer } from "./footer";
import { Header } from "./header";
import { ScenarioDialog } from "./scenario-dialog";
import { structuredData } from "./structured-data";

/** Built files that a page needs, by their hashed addresses. */
export interface Assets {
  /** For every page, and for pages with a scenario in addition. */
  styles: { site: string; run: string };
  script: string;
  /** Runs before the first paint, on pages with the banner. */
  early: string;
  font: string;
  /** The picture that links to a page show. */
  share: (route: Route) => string;
}

/** A whole page as HTML: no inline script that runs, no inline style. */
export function Document({ route, assets }: { route: Route; assets: Assets }) {
  const Page = route.page;
  return (
    <html lang="en" data-brand={BRAND} data-retention-days={RETENTION_DAYS}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content" />
        <meta name="color-scheme" content="light dark" />
        <title>{route.title}</title>
        <meta name="description" content={route.description} />
        <link rel="preload" href={assets.font} as="font" type="font/woff2" crossOrigin="anonymous" />
        {route.demo && <script src={assets.early} />}
        <link rel="stylesheet" href={assets.styles.site} />
        {route.demo && <link rel="stylesheet" href={assets.styles.run} />}
        <script type="module" src={assets.script} async={false} />
        <link rel="icon" href="/favicon.ico" sizes="48x48" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" sizes="any" />
        <link rel="apple-touch-icon" href="/icon-180.png" />
        <link rel="manifest" href="/site.webmanifest" />
        <meta name="theme-color" content="#f5f7f5" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#0a1517" media="(prefers-color-scheme: dark)" />
        {route.unlisted ? (
          <meta name="robots" content="noindex" />
        ) : (
          <ForOthers route={route} picture={assets.share(route)} />
        )}
      </head>
      <body>
        <a className="skip" href="#main">
          Skip to content
        </a>
        {route.demo && !route.bare && <DemoBanner />}
        {!route.bare && <Header path={route.path} />}
        <Page />
        {!route.bare && <Footer />}
        {!route.bare && <ScenarioDialog />}
      </body>
    </html>
  );
}

/** What search engines and link previews read. */
function ForOthers({ route, picture }: { route: Route; picture: string }) {
  const address = `${SITE_URL}${route.path}`;
  return (
    <>
      <link rel="canonical" href={address} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={BRAND} />
      <meta property="og:title" content={route.title} />
      <meta property="og:description" content={route.description} />
      <meta property="og:url" content={address} />
      <meta property="og:image" content={`${SITE_URL}${picture}`} />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta property="og:image:alt" content={route.share.lines.join(" ")} />
      <meta name="twitter:card" content="summary_large_image" />
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: data, and JSON can't be written as escaped text */}
      <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: structuredData(route) }} />
    </>
  );
}

import { BRAND } from "../content/company";
import type { Route } from "../routes";
import { DemoBanner } from "../run/banner";
import { Footer } from "./footer";
import { Header } from "./header";
import { ScenarioDialog } from "./scenario-dialog";

/** Built files that a page needs, by their hashed addresses. */
export interface Assets {
  styles: readonly string[];
  script: string;
  /** Runs before the first paint, on pages with the banner. */
  early: string;
  font: string;
}

/** A whole page as HTML: no inline script, no inline style. */
export function Document({ route, assets }: { route: Route; assets: Assets }) {
  const Page = route.page;
  return (
    <html lang="en" data-brand={BRAND}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content" />
        <meta name="color-scheme" content="light dark" />
        <title>{route.title}</title>
        <meta name="description" content={route.description} />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" />
        <link rel="preload" href={assets.font} as="font" type="font/woff2" crossOrigin="anonymous" />
        {route.demo && <script src={assets.early} />}
        {assets.styles.map((href) => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        <script type="module" src={assets.script} async={false} />
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

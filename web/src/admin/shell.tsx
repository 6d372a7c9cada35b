import { BRAND } from "../content/company";

/** The console's page: the script makes everything in it. */
export function AdminShell({ style, script, font }: { style: string; script: string; font: string }) {
  return (
    <html lang="en" data-brand={BRAND}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${BRAND} console`}</title>
        <link rel="preload" href={font} as="font" type="font/woff2" crossOrigin="anonymous" />
        <link rel="stylesheet" href={style} />
        <script type="module" src={script} async={false} />
        <link rel="icon" href="/favicon.ico" sizes="48x48" />
        <link rel="icon" href="/icon.svg" type="image/svg+xml" sizes="any" />
      </head>
      <body>
        <div id="console">
          <noscript>The console needs JavaScript.</noscript>
        </div>
      </body>
    </html>
  );
}

// Runs before the first paint, as a script of its own without imports, so that
// a dismissed banner never shows up again. `lib/banner.ts` sets the key.
try {
  if (sessionStorage.getItem("demo-banner-dismissed")) {
    document.documentElement.dataset.bannerDismissed = "";
  }
} catch {
  // No storage: the banner is shown on each page.
}

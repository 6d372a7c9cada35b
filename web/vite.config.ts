import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The console is a build of its own, so that none of its code is ever shared
// with the pages that visitors load.
const ENTRIES: Record<string, string[]> = {
  site: ["src/site.ts", "src/early.ts", "src/site.css", "src/run/run.css"],
  console: ["src/admin/main.tsx", "src/admin/admin.css"],
};

export default defineConfig(({ isSsrBuild, mode }) => ({
  plugins: [react(), tailwind()],
  build: {
    emptyOutDir: mode !== "console",
    // The server build renders the pages (src/build/prerender.tsx) and reads this.
    manifest: !isSsrBuild && `manifest-${mode}.json`,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // data: URLs are against the content security policy
    rolldownOptions: isSsrBuild ? {} : { input: ENTRIES[mode] ?? [] },
  },
  // One file that runs on its own, whatever is installed.
  ssr: { noExternal: true },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
  },
}));

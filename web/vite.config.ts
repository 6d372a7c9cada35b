import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [react(), tailwind()],
  build: {
    emptyOutDir: true,
    // The server build renders the pages (src/build/prerender.tsx) and reads this.
    manifest: !isSsrBuild && "manifest.json",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // data: URLs are against the content security policy
    rolldownOptions: isSsrBuild
      ? {}
      : {
          input: [
            "src/site.ts",
            "src/early.ts",
            "src/site.css",
            "src/run/run.css",
            "src/admin/main.tsx",
            "src/admin/admin.css",
          ],
        },
  },
  // One file that runs on its own, whatever is installed.
  ssr: { noExternal: true },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
  },
}));

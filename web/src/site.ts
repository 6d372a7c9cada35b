import { mindBanner } from "./lib/banner";
import { mindDialogs } from "./lib/dialogs";
import { awaitVisitors } from "./lib/islands";
import { mindMenus } from "./lib/menus";
import { scrollInPage, scrollToHash } from "./lib/scroll";
import { toast } from "./ui/toast";

// All the script of a public page, until a visitor acts on an island.

history.scrollRestoration = "manual";
scrollToHash(window);
addEventListener("popstate", () => scrollToHash(window));
document.addEventListener("click", (event) => scrollInPage(window, event));
mindMenus(document);
mindDialogs(document);
mindBanner(document, () => sessionStorage);

const islands = {
  widget: () => import("./run/widget-island"),
  "full-page": () => import("./run/full-page-island"),
};

awaitVisitors(
  document,
  Object.fromEntries(
    Object.entries(islands).map(([name, load]) => [name, async (root: HTMLElement) => (await load()).wake(root)]),
  ),
  hasRun,
  () => toast({ title: "Error", text: "Failed to start scenario", destructive: true }),
);

/** Whether this tab holds a run that the island should take up at once. */
function hasRun(): boolean {
  try {
    return Object.keys(sessionStorage).some((key) => key.startsWith("scenario-run:"));
  } catch {
    return false;
  }
}

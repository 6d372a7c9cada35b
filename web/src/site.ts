import { NOT_SENT } from "./contact/words";
import { mindBanner } from "./lib/banner";
import { mindDialogs } from "./lib/dialogs";
import { awaitVisitors } from "./lib/islands";
import { mindMenus } from "./lib/menus";
import { whenNear } from "./lib/near";
import { preselectReason } from "./lib/reason";
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

preselectReason(document, location.search);

const islands: Record<string, () => Promise<{ wake: (root: HTMLElement) => Promise<void> }>> = {
  widget: () => import("./run/widget-island"),
  "full-page": () => import("./run/full-page-island"),
  contact: () => import("./contact/contact-island"),
  "data-request": () => import("./privacy/request-island"),
  "own-data": () => import("./privacy/own-data-island"),
};

awaitVisitors(
  document,
  Object.fromEntries(
    Object.entries(islands).map(([name, load]) => [name, async (root: HTMLElement) => (await load()).wake(root)]),
  ),
  (root) => root.dataset.wake === "now" || holds(root.dataset.island === "contact" ? "contact-draft" : "scenario-run:"),
  (root) =>
    toast(
      root.dataset.island === "contact"
        ? { ...NOT_SENT, text: `${NOT_SENT.text} ${root.dataset.email}`, destructive: true }
        : { title: "Error", text: "Failed to start scenario", destructive: true },
    ),
);

whenNear(document.querySelectorAll<HTMLElement>("[data-gallery]"), (section) => {
  // Without a connection the drawings stay.
  import("./gallery/gallery-island").then(({ fill }) => fill(section)).catch(() => {});
});

// Who only passes by does not pay for it.
let asked = false;
whenNear(
  document.querySelectorAll<HTMLElement>("[data-reads-on]"),
  () => {
    if (!asked) {
      asked = true;
      import("./privacy/status-island").then(({ fill }) => fill(document)).catch(() => {});
    }
  },
  "0px",
);

/** Whether this tab keeps something that an island should take up at once. */
function holds(key: string): boolean {
  try {
    return Object.keys(sessionStorage).some((name) => name.startsWith(key));
  } catch {
    return false;
  }
}

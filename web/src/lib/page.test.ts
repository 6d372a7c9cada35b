import { beforeEach, expect, test, vi } from "vitest";
import { mindBanner } from "./banner";
import { mindDialogs } from "./dialogs";
import { mindMenus } from "./menus";
import { scrollInPage, scrollToHash } from "./scroll";

const one = <T extends Element>(selector: string) => document.querySelector(selector) as T;

beforeEach(() => {
  document.body.innerHTML = "";
  sessionStorage.clear();
  delete document.documentElement.dataset.bannerDismissed;
});

/** A window whose scrolling is written down. */
function scrollable(hash: string, calm = false) {
  const scrolled: ScrollToOptions[] = [];
  let later = () => {};
  const view = {
    document,
    location: { hash, origin: "http://localhost:3000", pathname: "/platform" },
    history: { pushState: vi.fn() },
    scrollY: 500,
    scrollTo: (to: ScrollToOptions) => scrolled.push(to),
    setTimeout: (run: () => void, delay: number) => {
      expect(delay).toBe(100);
      later = run;
    },
    matchMedia: () => ({ matches: calm }),
  };
  return { view: view as unknown as Window, scrolled, pass: () => later(), pushed: view.history.pushState };
}

test("a new page starts at its top", () => {
  const { view, scrolled } = scrollable("");
  scrollToHash(view);
  expect(scrolled).toEqual([{ top: 0, behavior: "instant" }]);
});

test("with a hash it then scrolls smoothly to the section, 80 px above it free", () => {
  document.body.innerHTML = `<section id="simpelo"></section>`;
  vi.spyOn(one("#simpelo"), "getBoundingClientRect").mockReturnValue({ top: 700 } as DOMRect);
  for (const calm of [false, true]) {
    const { view, scrolled, pass } = scrollable("#simpelo", calm);
    scrollToHash(view);
    expect(scrolled).toHaveLength(1);
    pass();
    expect(scrolled[1]).toEqual({ top: 1120, behavior: calm ? "instant" : "smooth" });
  }
});

test("a hash of no section is harmless", () => {
  const { view, scrolled } = scrollable("#nowhere");
  scrollToHash(view);
  expect(scrolled).toHaveLength(1);
});

test("only a plain click on a link to this page's section scrolls", () => {
  document.body.innerHTML = `<section id="s"></section><a id="here" href="http://localhost:3000/platform#s">a</a><a id="there" href="http://localhost:3000/privacy#s">b</a>`;
  const click = (selector: string, init: MouseEventInit = {}) => {
    const { view, scrolled, pushed } = scrollable("");
    const event = new MouseEvent("click", { bubbles: true, cancelable: true, ...init });
    one(selector).addEventListener("click", (e) => scrollInPage(view, e as MouseEvent), { once: true });
    one(selector).dispatchEvent(event);
    return { taken: event.defaultPrevented, scrolled, pushed };
  };
  expect(click("#here").taken).toBe(true);
  expect(click("#here").pushed).toHaveBeenCalledWith(null, "", "#s");
  expect(click("#here", { ctrlKey: true }).taken).toBe(false);
  expect(click("#there").taken).toBe(false);
});

test("menus: one at a time, closed by Escape, a click elsewhere, leaving, or a link", () => {
  document.body.innerHTML = `<details id="a" data-menu><summary>A</summary><a href="#x">x</a></details><details id="b" data-menu><summary>B</summary></details><p>else</p><button id="out">out</button>`;
  mindMenus(document);
  const [a, b] = [one<HTMLDetailsElement>("#a"), one<HTMLDetailsElement>("#b")];
  const open = () => {
    a.open = true;
    b.open = false;
  };
  for (const [name, act] of [
    ["Escape", () => document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }))],
    ["a click elsewhere", () => one<HTMLElement>("p").click()],
    ["another menu", () => one<HTMLElement>("#b summary").click()],
    ["focus elsewhere", () => one<HTMLElement>("#out").focus()],
    ["its link", () => one<HTMLElement>("#a a").click()],
  ] as const) {
    open();
    act();
    expect(a.open, name).toBe(false);
  }
  open();
  one<HTMLElement>("#a").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  expect(a.open, "a click inside").toBe(true);
});

test("in a browser without invoker commands and light dismissal the dialog opens and closes all the same", () => {
  document.body.innerHTML = `<button id="open" command="show-modal" commandfor="d">Try Demo</button><dialog id="d" closedby="any"><div id="in">text<button command="close" commandfor="d">×</button><a href="#x">card</a></div></dialog>`;
  mindDialogs(document);
  const dialog = one<HTMLDialogElement>("dialog");
  for (const [name, act] of [
    ["its button", () => one<HTMLElement>("[command=close]").click()],
    ["a link in it", () => one<HTMLElement>("dialog a").click()],
    ["a click beside it", () => dialog.click()],
  ] as const) {
    one<HTMLElement>("#open").click();
    expect(dialog.open, name).toBe(true);
    act();
    expect(dialog.open, name).toBe(false);
  }
  one<HTMLElement>("#open").click();
  one<HTMLElement>("#in").click();
  expect(dialog.open, "a click inside").toBe(true);
});

test("a dismissed banner stays away for the browser session, also after a reload", async () => {
  document.body.innerHTML = `<div><button data-banner-dismiss>×</button></div>`;
  mindBanner(document, () => sessionStorage);
  one<HTMLElement>("button").click();
  expect(document.documentElement.dataset.bannerDismissed).toBe("");
  delete document.documentElement.dataset.bannerDismissed;
  await import("../early");
  expect(document.documentElement.dataset.bannerDismissed).toBe("");
});

test("a browser without storage can dismiss it too", () => {
  document.body.innerHTML = `<button data-banner-dismiss>×</button>`;
  mindBanner(document, () => {
    throw new Error("forbidden");
  });
  one<HTMLElement>("button").click();
  expect(document.documentElement.dataset.bannerDismissed).toBe("");
});

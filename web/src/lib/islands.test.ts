import { beforeEach, expect, test, vi } from "vitest";
import { awaitVisitors } from "./islands";

beforeEach(() => {
  document.body.innerHTML = `<div data-island="run"><button>Start</button><a href="#x">Elsewhere</a></div>`;
});

const island = () => document.querySelector<HTMLElement>("[data-island]") as HTMLElement;
const button = () => document.querySelector("button") as HTMLButtonElement;

/** A loader that is done when the test says so, and then counts clicks like a component would. */
function loader() {
  const clicks = vi.fn();
  let finish = () => {};
  let fail = () => {};
  const load = vi.fn(
    () =>
      new Promise<void>((resolve, reject) => {
        finish = () => {
          button().addEventListener("click", clicks);
          resolve();
        };
        fail = () => reject(new Error("offline"));
      }),
  );
  return { load, clicks, finish: () => finish(), fail: () => fail() };
}

const complain = vi.fn();

const settled = () => new Promise((done) => setTimeout(done));

test("nothing is loaded before the visitor acts, and once when they do", async () => {
  const { load, finish } = loader();
  awaitVisitors(document, { run: load }, () => false, complain);
  expect(load).not.toHaveBeenCalled();
  island().dispatchEvent(new Event("pointerenter"));
  island().dispatchEvent(new Event("focusin"));
  finish();
  await settled();
  expect(load).toHaveBeenCalledTimes(1);
});

test("a click that comes too early is held back and repeated once", async () => {
  const { load, clicks, finish } = loader();
  awaitVisitors(document, { run: load }, () => false, complain);
  button().click();
  expect(clicks).not.toHaveBeenCalled();
  finish();
  await settled();
  expect(clicks).toHaveBeenCalledTimes(1);
  button().click();
  expect(clicks).toHaveBeenCalledTimes(2);
});

test("links inside are never held back", () => {
  const { load } = loader();
  awaitVisitors(document, { run: load }, () => false, complain);
  const click = new MouseEvent("click", { bubbles: true, cancelable: true });
  document.querySelector("a")?.dispatchEvent(click);
  expect(click.defaultPrevented).toBe(false);
});

test("a load that failed is tried again with the next click", async () => {
  const { load, clicks, finish, fail } = loader();
  awaitVisitors(document, { run: load }, () => false, complain);
  button().click();
  fail();
  await settled();
  expect(complain).toHaveBeenCalledTimes(1);
  button().click();
  finish();
  await settled();
  expect(load).toHaveBeenCalledTimes(2);
  expect(clicks).toHaveBeenCalledTimes(1);
});

test("an island with a running session wakes at once; unknown names stay asleep", () => {
  const { load } = loader();
  document.body.insertAdjacentHTML("beforeend", `<div data-island="other"></div>`);
  awaitVisitors(document, { run: load }, (root) => root.dataset.island === "run", complain);
  expect(load).toHaveBeenCalledTimes(1);
});

import { createElement } from "react";
import { hydrate } from "../lib/hydrate";
import { FullPageRun } from "./full-page";

/** The server put the brand into the page's root; the build did not know it. */
const brand = document.documentElement.dataset.brand ?? "";

export const wake = (root: HTMLElement) => hydrate(root, () => createElement(FullPageRun, { brand }));

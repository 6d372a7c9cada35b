import { browser } from "../api/browser";
import { readGallery } from "../api/gallery";
import { fillGallery } from "./gallery";

/** Fills the gallery in `section`. */
export const fill = (section: HTMLElement) =>
  fillGallery(section, { read: (industry) => readGallery(browser(), industry) });

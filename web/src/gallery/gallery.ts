import { galleryAddress, tileAddress } from "../api/gallery";
import type { GalleryItem } from "../api/shapes";
import { openLightbox } from "./lightbox";

/** What the gallery needs of the world. */
export interface Surroundings {
  read: (industry: string) => Promise<GalleryItem[]>;
}

/**
 * Fills a gallery with what is published. Without anything the drawings that
 * the page came with stay, with a word on it; a failure offers another try.
 */
export async function fillGallery(section: HTMLElement, { read }: Surroundings): Promise<void> {
  const list = section.querySelector<HTMLElement>("[data-items]");
  const note = section.querySelector<HTMLElement>("[data-note]");
  if (!list || !note) {
    return;
  }
  try {
    const items = await read(section.dataset.gallery ?? "");
    note.replaceChildren();
    if (items.length === 0) {
      note.textContent = "No photos or films have been published here yet. Until then these are drawings.";
      return;
    }
    list.replaceChildren(...items.map((item, i) => tile(item, i === 0, () => openLightbox(items, i))));
  } catch {
    const again = document.createElement("button");
    again.type = "button";
    again.className = "btn btn-outline";
    again.textContent = "Try again";
    again.addEventListener("click", () => void fillGallery(section, { read }));
    note.replaceChildren("The photos and films could not be loaded. ", again);
  }
}

function tile(item: GalleryItem, first: boolean, open: () => void): HTMLLIElement {
  const li = document.createElement("li");
  li.className = first ? "gallery-large" : "";
  li.append(item.file_type === "video" ? film(item) : picture(item, open));
  if (item.caption) {
    const caption = document.createElement("p");
    caption.textContent = item.caption;
    li.append(caption);
  }
  return li;
}

function picture(item: GalleryItem, open: () => void): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "gallery-tile gallery-open";
  button.setAttribute("aria-label", item.caption ? `Enlarge: ${item.caption}` : "Enlarge picture");
  button.addEventListener("click", open);
  const image = document.createElement("img");
  image.src = tileAddress(item.file_path);
  image.alt = item.caption ?? "";
  image.loading = "lazy";
  image.decoding = "async";
  button.append(image);
  return button;
}

/** A film shows its first frame and plays when somebody wants it to. */
function film(item: GalleryItem): HTMLElement {
  const frame = document.createElement("div");
  frame.className = "gallery-tile";
  const video = document.createElement("video");
  video.src = `${galleryAddress(item.file_path)}#t=0.1`;
  video.controls = true;
  video.preload = "metadata";
  video.playsInline = true;
  video.setAttribute("aria-label", item.caption ?? "Film");
  frame.append(video);
  return frame;
}

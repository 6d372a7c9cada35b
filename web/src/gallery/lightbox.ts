import { galleryAddress } from "../api/gallery";
import type { GalleryItem } from "../api/shapes";

/**
 * Shows one picture large, the others by arrow keys or buttons. Closes by
 * Escape, its button or a click beside the picture; the focus goes back to
 * where it was.
 */
export function openLightbox(items: readonly GalleryItem[], start: number): void {
  const pictures = items.filter((item) => item.file_type === "image");
  let at = Math.max(0, pictures.indexOf(items[start] as GalleryItem));

  const dialog = document.createElement("dialog");
  dialog.className = "lightbox";
  dialog.setAttribute("aria-label", "Picture");
  dialog.setAttribute("closedby", "any");
  const image = document.createElement("img");
  const caption = document.createElement("p");
  caption.setAttribute("aria-live", "polite");

  const show = (step: number) => {
    at = (at + step + pictures.length) % pictures.length;
    const item = pictures[at];
    if (item) {
      image.src = galleryAddress(item.file_path);
      image.alt = item.caption ?? "";
      caption.textContent = `${item.caption ? `${item.caption}, ` : ""}${at + 1} of ${pictures.length}`;
    }
  };
  const bar = document.createElement("div");
  bar.className = "lightbox-bar";
  bar.append(caption);
  if (pictures.length > 1) {
    bar.append(
      control("Previous picture", "←", () => show(-1)),
      control("Next picture", "→", () => show(1)),
    );
  }
  bar.append(control("Close", "×", () => dialog.close()));
  dialog.append(image, bar);

  dialog.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step && pictures.length > 1) {
      event.preventDefault();
      show(step);
    }
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) {
      dialog.close();
    }
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  show(0);
  dialog.showModal();
}

function control(name: string, sign: string, act: () => void): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn btn-icon btn-outline";
  button.setAttribute("aria-label", name);
  button.textContent = sign;
  button.addEventListener("click", act);
  return button;
}

/** A short message beside the page; a new one takes the place of the last. */
export interface Toast {
  title: string;
  text: string;
  /** An error: announced at once, and stays until it is dismissed. */
  destructive?: boolean;
}

const READING_TIME = 8000;

/**
 * Shows a toast. It lives in the topmost modal dialog while one is open, since
 * everything outside of a modal can neither be reached nor is it announced.
 */
export function toast({ title, text, destructive = false }: Toast): void {
  const region = regionIn(host());
  const box = document.createElement("div");
  box.className = destructive ? "toast toast-destructive" : "toast";
  box.setAttribute("role", destructive ? "alert" : "status");

  const close = document.createElement("button");
  close.type = "button";
  close.className = "toast-close";
  close.setAttribute("aria-label", "Dismiss");
  close.textContent = "\u00d7";
  close.addEventListener("click", () => box.remove());

  box.append(paragraph("toast-title", title), paragraph("toast-text", text), close);
  region.replaceChildren(box); // news makes the older news old
  if (!destructive) {
    removeWhenRead(box);
  }
}

/** Takes the toasts of a dialog that is about to go back to the page. */
export function rescueToasts(dialog: HTMLElement): void {
  const region = dialog.querySelector(".toasts");
  if (region) {
    document.body.append(region);
  }
}

function host(): HTMLElement {
  return [...document.querySelectorAll<HTMLElement>("dialog[open]")].at(-1) ?? document.body;
}

function regionIn(parent: HTMLElement): HTMLElement {
  const existing = document.querySelector<HTMLElement>(".toasts");
  const region = existing ?? document.createElement("div");
  region.className = "toasts";
  if (region.parentElement !== parent) {
    parent.append(region);
  }
  return region;
}

function paragraph(className: string, text: string): HTMLParagraphElement {
  const element = document.createElement("p");
  element.className = className;
  element.textContent = text;
  return element;
}

/** Hovering or focusing a toast holds it. */
function removeWhenRead(box: HTMLElement): void {
  let timer = setTimeout(() => box.remove(), READING_TIME);
  const hold = () => clearTimeout(timer);
  const release = () => {
    clearTimeout(timer);
    timer = setTimeout(() => box.remove(), READING_TIME);
  };
  box.addEventListener("pointerenter", hold);
  box.addEventListener("focusin", hold);
  box.addEventListener("pointerleave", release);
  box.addEventListener("focusout", release);
}

/**
 * `<button data-opens="id">` toggles the `<dialog id>`; a click beside it, its
 * close button and Escape close it, and following one of its links does too.
 */
export function mindDialogs(page: Document): void {
  page.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const opener = target?.closest<HTMLElement>("[data-opens]");
    if (opener) {
      toggle(page.getElementById(opener.dataset.opens ?? ""));
      return;
    }
    const dialog = target?.closest("dialog[data-light]");
    if (dialog instanceof HTMLDialogElement && (target === dialog || target?.closest("[data-closes], a"))) {
      dialog.close();
    }
  });
}

function toggle(dialog: HTMLElement | null): void {
  if (!(dialog instanceof HTMLDialogElement)) {
    return;
  }
  if (dialog.open) {
    dialog.close();
  } else {
    dialog.showModal();
  }
}

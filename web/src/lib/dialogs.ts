/**
 * Invoker commands (`<button command="show-modal" commandfor="id">`) and light
 * dismissal (`<dialog closedby="any">`) for browsers that do not have them, and
 * for all: a dialog closes when one of its links is followed, so that it is not
 * open when the visitor comes back.
 */
export function mindDialogs(page: Document): void {
  const invokers = "command" in HTMLButtonElement.prototype;
  const lightDismissal = "closedBy" in HTMLDialogElement.prototype;
  page.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const button = target?.closest("button[commandfor]");
    if (button) {
      if (!invokers) {
        invoke(page.getElementById(button.getAttribute("commandfor") ?? ""), button.getAttribute("command"));
      }
      return;
    }
    const dialog = target?.closest("dialog[closedby]");
    if (dialog instanceof HTMLDialogElement && (target?.closest("a") || (target === dialog && !lightDismissal))) {
      dialog.close();
    }
  });
}

function invoke(dialog: HTMLElement | null, command: string | null): void {
  if (!(dialog instanceof HTMLDialogElement)) {
    return;
  }
  if (command === "close") {
    dialog.close();
  } else if (!dialog.open) {
    dialog.showModal();
  }
}

import type { KeyboardEvent, ReactNode, SyntheticEvent } from "react";
import { rescueToasts } from "./toast";

interface ModalProps {
  /** Id of the heading that names the dialog. */
  labelledBy: string;
  describedBy?: string;
  role?: "dialog" | "alertdialog";
  className?: string;
  /** Called when the visitor presses Escape. Without it only the buttons inside can close the dialog. */
  onDismiss?: () => void;
  children: ReactNode;
}

/**
 * A modal dialog that is open for as long as it is rendered. Opening moves the
 * focus to the element marked with `data-focus`, closing gives it back. A click
 * outside never closes it.
 */
export function Modal({ labelledBy, describedBy, role = "dialog", className, onDismiss, children }: ModalProps) {
  const dismiss = (event: SyntheticEvent | KeyboardEvent) => {
    event.preventDefault();
    onDismiss?.();
  };
  return (
    <dialog
      ref={open}
      role={role}
      className={className}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      onCancel={dismiss}
      // Chromium closes on a second Escape although the first was refused, unless the key never arrives.
      onKeyDown={(event) => event.key === "Escape" && dismiss(event)}
    >
      {children}
    </dialog>
  );
}

function open(dialog: HTMLDialogElement) {
  dialog.showModal();
  dialog.querySelector<HTMLElement>("[data-focus]")?.focus();
  return () => {
    rescueToasts(dialog);
    dialog.close();
  };
}

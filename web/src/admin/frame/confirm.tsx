import { Modal } from "../../ui/modal";

interface ConfirmProps {
  title: string;
  text: string;
  action: string;
  busy: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks before something is gone for good. */
export function Confirm({ title, text, action, busy, onConfirm, onCancel }: ConfirmProps) {
  return (
    <Modal
      className="ask"
      role="alertdialog"
      labelledBy="confirm-title"
      describedBy="confirm-text"
      onDismiss={onCancel}
    >
      <h2 id="confirm-title">{title}</h2>
      <p id="confirm-text">{text}</p>
      <div className="ask-buttons">
        <button type="button" className="btn btn-danger" aria-disabled={busy} onClick={() => !busy && onConfirm()}>
          {action}
        </button>
        <button type="button" className="btn btn-outline" data-focus onClick={onCancel}>
          Cancel
        </button>
      </div>
    </Modal>
  );
}

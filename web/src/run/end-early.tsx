import { useState } from "react";
import { Modal } from "../ui/modal";

/** The button that ends a run before its last turn, and the question it asks first. */
export function EndEarly({ disabled, onConfirm }: { disabled: boolean; onConfirm: () => void }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button
        type="button"
        className="btn btn-outline"
        aria-disabled={disabled}
        onClick={() => !disabled && setAsking(true)}
      >
        End Scenario Early
      </button>
      {asking && (
        <Modal role="alertdialog" className="ask" labelledBy="end-early-title" describedBy="end-early-text">
          <h2 id="end-early-title">End the scenario early?</h2>
          <p id="end-early-text">What you said so far is scored as it is. You cannot come back to this conversation.</p>
          <div className="ask-buttons">
            <button type="button" className="btn btn-outline" data-focus onClick={() => setAsking(false)}>
              Continue Scenario
            </button>
            <button
              type="button"
              className="btn btn-primary"
              onClick={() => {
                setAsking(false);
                onConfirm();
              }}
            >
              End Scenario
            </button>
          </div>
        </Modal>
      )}
    </>
  );
}

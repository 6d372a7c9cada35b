import { ANALYSING } from "./words";

/** Over the blurred conversation while the run is scored, and when scoring failed. */
export function Analysing({ failed, onAgain }: { failed: boolean; onAgain: () => void }) {
  return (
    <div className="analysing">
      {failed ? (
        <>
          <p>Your conversation is kept, but it could not be scored.</p>
          <button type="button" className="btn btn-primary" onClick={onAgain}>
            Try again
          </button>
        </>
      ) : (
        <>
          <p role="status">{ANALYSING}</p>
          <span className="analysing-line" aria-hidden="true" />
        </>
      )}
    </div>
  );
}

import type { ReactNode } from "react";
import { messageOf } from "../client";

/** Something is on its way: a baseline with a moving dot. */
export function Loading({ what = "Loading" }: { what?: string }) {
  return (
    <div className="a-state" role="status">
      <svg className="a-wait" viewBox="0 0 220 20" aria-hidden="true" focusable="false">
        <path className="t-base" d="M0 10H220" />
        <circle className="t-dot" cx={8} cy={10} r={5} />
      </svg>
      <p>{what}</p>
    </div>
  );
}

/** It did not come: why, and another try. */
export function Failed({ problem, again }: { problem: unknown; again?: () => void }) {
  return (
    <div className="a-state" role="alert">
      <p>{messageOf(problem)}</p>
      {again && (
        <button type="button" className="btn btn-outline" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

/** There is nothing: a flat line and what to do next. */
export function Empty({ children }: { children: ReactNode }) {
  return (
    <div className="a-state">
      <svg className="a-wait" viewBox="0 0 220 20" aria-hidden="true" focusable="false">
        <path className="t-base" d="M0 10H220" />
      </svg>
      <p>{children}</p>
    </div>
  );
}

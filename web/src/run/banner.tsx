import { Pause, X } from "lucide-react";
import { BANNER } from "./words";

/** How often the message is repeated in the strip. */
const REPEATS = 4;

/**
 * The notice on demo pages: a slow strip that can be paused and dismissed.
 * Static markup; the site's script hides it on `data-banner-dismiss` and
 * remembers that for the browser session.
 */
export function DemoBanner() {
  return (
    <div className="demo-banner" role="note" data-banner="">
      <div className="demo-banner-track">
        {Array.from({ length: REPEATS }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same sentence, repeated
          <span key={i} aria-hidden={i > 0 || undefined}>
            {BANNER}
          </span>
        ))}
      </div>
      <label className="btn btn-icon btn-ghost demo-banner-pause">
        <input type="checkbox" className="sr-only" aria-label="Pause the moving text" />
        <Pause size={16} strokeWidth={1.75} />
      </label>
      <button type="button" className="btn btn-icon btn-ghost" aria-label="Dismiss notice" data-banner-dismiss="">
        <X size={18} strokeWidth={1.75} />
      </button>
    </div>
  );
}

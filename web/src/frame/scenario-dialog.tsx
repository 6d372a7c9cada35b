import { ArrowRight, X } from "lucide-react";
import { SCENARIO_CARDS } from "../content/company";
import { Picture } from "../drawing/picture";

/** The dialog's id, for buttons that open it. */
export const SCENARIO_DIALOG = "scenario-dialog";

// Browsers know these attributes, React's types do not yet.
const CLOSES = { command: "close", commandfor: SCENARIO_DIALOG };

/** Where a visitor picks a scenario to try. A `TryButton` opens it. */
export function ScenarioDialog() {
  return (
    <dialog id={SCENARIO_DIALOG} className="pick" aria-labelledby="pick-title" closedby="any">
      <div className="pick-in">
        <button type="button" className="btn btn-icon btn-ghost pick-close" aria-label="Close" {...CLOSES}>
          <X size={20} strokeWidth={1.75} />
        </button>
        <h2 id="pick-title">Choose Your Training Scenario</h2>
        <p>Experience our AI-powered simulations in different industries.</p>
        <ul>
          {SCENARIO_CARDS.map((card) => (
            <li key={card.href} className={`paper-${card.paper}`}>
              <a href={card.href}>
                <span className="pick-face">
                  <Picture character={card.character} emotion={card.emotion} mood={0} alt="" />
                </span>
                <span className="pick-text">
                  <b>{card.title}</b>
                  <span>{card.text}</span>
                  <span className="more">
                    {card.action} <ArrowRight size={16} strokeWidth={1.75} />
                  </span>
                </span>
              </a>
            </li>
          ))}
        </ul>
      </div>
    </dialog>
  );
}

import { signed } from "../drawing/report-strip";
import type { Effect, Piece, Turn } from "./turns";
import { VERDICT } from "./verdicts";

interface TurnListProps {
  turns: readonly Turn[];
  /** Who answered. */
  name: string;
}

/** Every message of the learner with what it earned or cost. */
export function TurnList({ turns, name }: TurnListProps) {
  return (
    <ol className="turns">
      {turns.map((turn) => (
        <li key={turn.turn} className="turn">
          <div className="turn-head">
            <h3>Turn {turn.turn}</h3>
            <b className={turn.delta < 0 ? "down" : "up"}>
              {signed(turn.delta)}
              <span className="sr-only"> points</span>
            </b>
            <span>Score {Math.round(turn.score)}</span>
          </div>
          <div>
            <p className="turn-said">
              <span className="sr-only">You said: </span>
              {turn.said.map((piece) => (
                <Words key={piece.at} piece={piece} />
              ))}
            </p>
            {turn.effects.length > 0 ? (
              <ul className="turn-effects">
                {turn.effects.map((effect) => (
                  <EffectItem key={effect.id} effect={effect} />
                ))}
              </ul>
            ) : (
              <p className="turn-none">No criterion came up in this message.</p>
            )}
            {turn.answer && (
              <p className="turn-answer">
                <b>{name || "Answer"}:</b> {turn.answer}
              </p>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

function Words({ piece }: { piece: Piece }) {
  if (piece.mark === "none") {
    return piece.text;
  }
  return (
    <>
      <mark className={`mark-${piece.mark}`}>{piece.text}</mark>
      {/* The list below reads the words out with each criterion. */}
      {piece.numbers.length > 0 && <sup aria-hidden="true">{piece.numbers.join(", ")}</sup>}
    </>
  );
}

function EffectItem({ effect }: { effect: Effect }) {
  const { word, Icon } = VERDICT[effect.verdict];
  return (
    <li className={`turn-effect turn-${effect.verdict}`}>
      <sup aria-hidden="true">{effect.number}</sup>
      <span className="turn-verdict">
        <Icon size={16} strokeWidth={1.75} /> {word}
      </span>
      <span>
        <span className="sr-only">: </span>
        {effect.title}
        <span className="sr-only">, with the words {effect.quotes.map((quote) => `“${quote}”`).join(" and ")}</span>
      </span>
    </li>
  );
}

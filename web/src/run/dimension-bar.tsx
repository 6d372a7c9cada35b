import { capitalised, type Dimension, whole } from "./findings";

/** One dimension on its track, with a pen tick at the score. */
export function DimensionBar({ dimension }: { dimension: Dimension }) {
  const score = whole(dimension.score);
  return (
    <div className="dimension">
      <div className="dimension-head">
        <h3>{capitalised(dimension.name)}</h3>
        <b>{score}</b>
      </div>
      <div className="dimension-bar" role="img" aria-label={`${score} of 100`}>
        <i style={{ width: `${score}%` }} />
      </div>
      {dimension.summary && <p>{dimension.summary}</p>}
    </div>
  );
}

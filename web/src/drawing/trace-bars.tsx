import { barsPath, layout, type Utterance } from "./trace";

/** A conversation as bars without any score, for places where the score is not to be seen yet. */
export function TraceBars({ utterances }: { utterances: readonly Utterance[] }) {
  const bars = layout(utterances, { width: 244, gap: 5, unit: 2.2, least: 3 });
  return (
    <svg className="trace-bars" viewBox="0 0 244 120" aria-hidden="true" focusable="false">
      <path className="t-base" d="M0 60H244" />
      <path className="t-them" d={barsPath(bars, "them", 60, { share: 0.6, off: 2 })} />
      <path className="t-you" d={barsPath(bars, "you", 60, { share: 0.6, off: 2 })} />
    </svg>
  );
}

const LEAST = 10;
const MOST = 100_000;
const STEPS = [
  { at: 10, label: "10", who: "a pilot group" },
  { at: 100, label: "100", who: "a class" },
  { at: 1000, label: "1,000", who: "a school" },
  { at: 10_000, label: "10,000", who: "a hospital group" },
  { at: 100_000, label: "100,000+", who: "an airline, worldwide" },
] as const;

const WIDTH = 1000;
const x = (learners: number) => (Math.log10(learners / LEAST) / Math.log10(MOST / LEAST)) * (WIDTH - 140) + 40;

/** The number of learners on a ruler with a logarithmic scale. */
export function Scale() {
  const ticks = Array.from({ length: 4 }, (_, decade) =>
    Array.from({ length: 8 }, (_, i) => `M${Math.round(x(LEAST * 10 ** decade * (i + 2)))} 60v-10`),
  ).flat();
  return (
    <figure className="wrap scale">
      <svg viewBox={`0 0 ${WIDTH} 64`} aria-hidden="true" focusable="false">
        <path className="t-base" d={`M0 60H${WIDTH}${ticks.join("")}`} />
        <path className="t-pen" d={`M${x(LEAST)} 60H${x(MOST)}`} />
        {STEPS.map(({ at }, i) => (
          <path key={at} className="scale-bar" d={`M${Math.round(x(at)) - 3} 57v${-(12 + i * 10)}h6v${12 + i * 10}z`} />
        ))}
        <circle className="t-dot" cx={x(MOST)} cy={60} r={7} />
      </svg>
      <ul>
        {STEPS.map(({ label, who }) => (
          <li key={label}>
            <b>{label}</b> {who}
          </li>
        ))}
      </ul>
      <figcaption>From 10 to over 100,000 learners. Each step is ten times the one before.</figcaption>
    </figure>
  );
}

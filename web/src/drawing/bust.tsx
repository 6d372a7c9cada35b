/** Stands for somebody who has no portrait: a head and shoulders of half-discs on the chart paper. */
export function Bust({ title }: { title?: string }) {
  return (
    <svg
      className="bust"
      viewBox="0 0 280 315"
      preserveAspectRatio="xMidYMid slice"
      focusable="false"
      role={title === undefined ? undefined : "img"}
      aria-label={title}
      aria-hidden={title === undefined}
    >
      <circle className="bust-head" cx={140} cy={132} r={56} />
      <path className="bust-body" d="M36 315a104 104 0 0 1 208 0z" />
    </svg>
  );
}

/** The logo without letters: two voices taking turns on one baseline, and the dot where the pen stops. */
export function Mark({ size = 30 }: { size?: number }) {
  return (
    <svg className="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path className="mark-upper" d="M0 15.25a10.5 10.5 0 0 1 21 0z" />
      <path className="mark-lower" d="M11 16.75a10.5 10.5 0 0 0 21 0z" />
      <circle className="mark-dot" cx={27.6} cy={8.6} r={3.9} />
    </svg>
  );
}

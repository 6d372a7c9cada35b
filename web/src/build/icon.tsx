/** The mark on a plate, for home screens. `plate` leaves room for the round masks of some systems. */
export function IconDrawing({ plate }: { plate: boolean }) {
  return (
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" aria-hidden="true">
      {plate && <rect width={64} height={64} fill="#f5f7f5" />}
      <g transform={plate ? "translate(13.5 17) scale(1.16)" : "translate(0 14) scale(2)"}>
        <path fill="#0c4a52" d="M0 15.25a10.5 10.5 0 0 1 21 0z" />
        <path fill="#0d1e21" d="M11 16.75a10.5 10.5 0 0 0 21 0z" />
        <circle fill="#dd3f14" cx={27.6} cy={8.6} r={3.9} />
      </g>
    </svg>
  );
}

import type { Face } from "./cast";
import type { Pose } from "./pose";

const n = (value: number) => Math.round(value * 10) / 10;

/** Where the lips run for a pose: the corners, the upper and the lower edge of the opening. */
function lips(pose: Pose) {
  const x = 161;
  const y = 224 - pose.cheek;
  const bend = pose.smile * 0.35;
  return {
    x,
    y,
    bend,
    left: x - pose.mw,
    right: x + pose.mw,
    corner: y - pose.smile * 0.75 + pose.square * 1.5,
    top: y - pose.open * 0.42 + bend,
    bottom: y + pose.open * 0.62 + bend * 1.15,
    /** How far the control points reach: squarer in pain and anger. */
    reach: pose.mw * (1 - (0.42 + pose.square * 0.34)),
  };
}

/** A mouth that can smile, clench and speak. `id` must be unique on the page. */
export function Mouth({ pose, face, id }: { pose: Pose; face: Face; id: string }) {
  const { x, y, bend, left, right, corner, top, bottom, reach } = lips(pose);
  const w = pose.mw;
  const open = pose.open > 0.8;
  const up = face.lipUp * (1 - 0.75 * pose.press) * (1 - Math.abs(pose.smile) * 0.02);
  const down = face.lipDown * (1 - 0.7 * pose.press);
  const lifted = top - pose.square * 1.5;

  const upperEdge = `C${n(left + reach)} ${n(lifted)} ${n(x - w * 0.2)} ${n(top)} ${x} ${n(top + 0.8)}C${n(x + w * 0.2)} ${n(top)} ${n(right - reach)} ${n(lifted)} ${n(right)} ${n(corner)}`;
  const lowerEdge = `C${n(right - reach)} ${n(bottom + pose.smile * 0.2)} ${n(x + w * 0.34)} ${n(bottom)} ${x} ${n(bottom)}C${n(x - w * 0.34)} ${n(bottom)} ${n(left + reach)} ${n(bottom + pose.smile * 0.2)} ${n(left)} ${n(corner)}Z`;
  const closedEdge = `C${n(left + w * 0.55)} ${n(y + bend * 1.5 - 0.5)} ${n(x - w * 0.2)} ${n(y + bend + 0.6)} ${x} ${n(y + bend + 1.2)}C${n(x + w * 0.2)} ${n(y + bend + 0.6)} ${n(right - w * 0.55)} ${n(y + bend * 1.5 - 0.5)} ${n(right)} ${n(corner)}`;
  const upperLip = `M${n(left - 0.6)} ${n(corner)}C${n(left + w * 0.5)} ${n(top - up * 0.7)} ${x - 6} ${n(top - up * 1.25)} ${n(x - 3.6)} ${n(top - up)}Q${x} ${n(top - up + 2.4)} ${n(x + 3.6)} ${n(top - up)}C${x + 6} ${n(top - up * 1.25)} ${n(right - w * 0.5)} ${n(top - up * 0.7)} ${n(right + 0.6)} ${n(corner)}C${n(right - reach)} ${n(lifted + 1)} ${n(x + w * 0.2)} ${n(top + 1)} ${x} ${n(top + 1.6)}C${n(x - w * 0.2)} ${n(top + 1)} ${n(left + reach)} ${n(lifted + 1)} ${n(left - 0.6)} ${n(corner)}Z`;
  const lipCorner = n(corner * 0.55 + bottom * 0.45);
  const lowerLip = `M${n(left + w * 0.16)} ${lipCorner}C${n(x - w * 0.55)} ${n(bottom + down * 0.9)} ${n(x - w * 0.3)} ${n(bottom + down * 1.15)} ${x} ${n(bottom + down * 1.1)}C${n(x + w * 0.3)} ${n(bottom + down * 1.15)} ${n(x + w * 0.55)} ${n(bottom + down * 0.9)} ${n(right - w * 0.16)} ${lipCorner}C${n(x + w * 0.4)} ${n(bottom - 0.8)} ${n(x - w * 0.4)} ${n(bottom - 0.8)} ${n(left + w * 0.16)} ${lipCorner}Z`;
  const start = `M${n(left)} ${n(corner)}`;

  return (
    <g fill="none" stroke={face.deep} strokeLinecap="round">
      <path d={lowerLip} fill={face.lipLow} stroke="none" />
      <path d={upperLip} fill={face.lip} stroke="none" />
      {open && <Inside pose={pose} id={id} hole={`${start}${upperEdge}${lowerEdge}`} />}
      <path d={`${start}${open ? upperEdge : closedEdge}`} strokeWidth={2.6} />
      <path
        d={`M${n(left - 2.4)} ${n(corner - 1.6 - pose.smile * 0.1)}q-1.6 1.6 -.6 3.6M${n(right + 2.4)} ${n(corner - 1.6)}q1.6 1.6 .6 3.6`}
        strokeOpacity={0.45}
        strokeWidth={1.8}
      />
      <path
        d={`M${x - 11} ${n(bottom + down + 5)}Q${x} ${n(bottom + down + 8.5)} ${x + 11} ${n(bottom + down + 5)}`}
        strokeOpacity={0.3}
        strokeWidth={2.4}
      />
    </g>
  );
}

function Inside({ pose, id, hole }: { pose: Pose; id: string; hole: string }) {
  const { x, top, bottom } = lips(pose);
  const { mw: w, open, square } = pose;
  const teeth = (square > 0.5 ? open * 0.62 + 3 : Math.min(6, open * 0.5 + 2)) * pose.teeth;
  return (
    <g stroke="none">
      <clipPath id={`${id}m`}>
        <path d={hole} />
      </clipPath>
      <path d={hole} fill="#3B1513" />
      <g clipPath={`url(#${id}m)`}>
        {pose.teeth > 0 && (
          <rect x={n(x - w * 0.82)} y={n(top - 4)} width={n(w * 1.64)} height={n(teeth + 4.5)} rx={3} fill="#F1E8DC" />
        )}
        {pose.teeth > 0 && square > 0.8 && (
          <rect
            x={n(x - w * 0.74)}
            y={n(bottom - open * 0.34)}
            width={n(w * 1.48)}
            height={n(open)}
            rx={2.5}
            fill="#DCCFC0"
          />
        )}
        {open > 8 && square < 0.9 && <ellipse cx={x} cy={n(bottom + 1)} rx={n(w * 0.5)} ry={4.5} fill="#A8504A" />}
      </g>
    </g>
  );
}

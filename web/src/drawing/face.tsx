import type { ReactNode } from "react";
import type { Face } from "./cast";
import type { Pose } from "./pose";

/**
 * The parts of a face that move. Each part is drawn from a pose and a palette
 * on the portrait's board of 320 x 360; the face is symmetric about x = 160.
 */
interface Part {
  pose: Pose;
  face: Face;
}
type Sided = Part & { side: -1 | 1 };
type Clipped = { id: string };

const MIDDLE = 160;
const n = (value: number) => Math.round(value * 10) / 10;

function Line({ d, colour, opacity, width }: { d: string; colour: string; opacity: number; width: number }) {
  return <path d={d} fill="none" stroke={colour} strokeOpacity={opacity} strokeWidth={width} strokeLinecap="round" />;
}

/** The planes of the head: skin, and the shadow whose inner edge runs down brow, nose and chin. */
export function Head({ face }: { face: Face }) {
  const jawLeft = `${101 - face.jaw} 208 ${121 - face.jaw} 233`;
  const jawRight = `${199 + face.jaw} 233C${219 + face.jaw} 208`;
  return (
    <>
      <path d="M98 148C84 142 80 158 84 172C87 184 92 192 100 192Z" fill={face.skin} />
      <path d="M222 148C236 142 240 158 236 172C233 184 228 192 220 192Z" fill={face.shade} />
      <path
        d="M90 156c-3 6 0 18 6 24M230 156c3 6 0 18 -6 24"
        fill="none"
        stroke={face.deep}
        strokeOpacity={0.45}
        strokeWidth={2}
        strokeLinecap="round"
      />
      <path
        d={`M160 66C116 66 95 100 95 146C95 180 ${jawLeft}C${134 - face.jaw * 0.6} 249 147 258 160 258C173 258 ${186 + face.jaw * 0.6} 249 ${jawRight} 225 180 225 146C225 100 204 66 160 66Z`}
        fill={face.skin}
      />
      <path
        d={`M186 70C190 92 186 112 178 132C172 140 170 146 169 154C169 170 174 182 179 192C181 198 177 203 169 204C170 209 172 213 170 217C174 228 172 236 166 242C168 248 167 254 165 258C176 256 ${188 + face.jaw * 0.6} 248 ${jawRight} 225 180 225 146C225 108 208 80 186 70Z`}
        fill={face.shade}
      />
    </>
  );
}

/** The throat and the shadow that the chin throws on it. */
export function Neck({ pose, face, id }: Part & Clipped) {
  const throat = "M126 222C128 250 126 270 118 286C140 320 180 320 202 286C194 270 192 250 194 222Z";
  const lean = `translate(${n(pose.dx + pose.rot * 0.5)} ${n(pose.dy + pose.sh * 0.5)})`;
  return (
    <>
      <clipPath id={`${id}n`}>
        <path d={throat} />
      </clipPath>
      <path d={throat} fill={face.shade} />
      <path d="M126 226C127 250 126 268 119 284C128 297 138 303 148 306C140 286 140 262 142 250Z" fill={face.skin} />
      <g clipPath={`url(#${id}n)`}>
        <path transform={lean} d="M100 210H220V250C200 284 122 284 100 252Z" fill={face.deep} opacity={0.36} />
      </g>
    </>
  );
}

export function Eye({ pose, face, side, id }: Sided & Clipped) {
  const x = MIDDLE + side * 28;
  const y = 160;
  const half = 14.5;
  const wide = Math.max(0, pose.lid);
  const above = 10.5 * wide;
  const below = 5.6 * (1 - 0.75 * pose.lower) * Math.min(1, wide + 0.25);
  const inner = x - side * half;
  const outer = x + side * half;
  const yInner = y + 1.2;
  const yOuter = y - 1.5;
  const closed = wide < 0.3;
  const clip = `${id}${side > 0 ? "r" : "l"}`;

  const lid = `M${n(inner)} ${n(yInner)}C${n(inner + side * half * 0.42)} ${n(y - above * 1.22)} ${n(outer - side * half * 0.5)} ${n(y - above * 1.34)} ${n(outer)} ${n(yOuter)}`;
  const opening = `${lid}C${n(outer - side * half * 0.5)} ${n(y + below * 1.5)} ${n(inner + side * half * 0.5)} ${n(y + below * 1.5)} ${n(inner)} ${n(yInner)}Z`;
  return (
    <>
      <clipPath id={clip}>
        <path d={opening} />
      </clipPath>
      <path
        d={`M${n(inner - side * 3)} ${n(y - 4)}C${n(inner + side * 4)} ${n(y - 17 + pose.browMid * 0.4)} ${n(outer - side * 4)} ${n(y - 17)} ${n(outer + side * 3)} ${n(y - 3)}C${n(outer)} ${n(y + 9)} ${n(inner)} ${n(y + 9)} ${n(inner - side * 3)} ${n(y - 4)}Z`}
        fill={face.deep}
        opacity={side > 0 ? 0.16 : 0.13}
      />
      <g className="vh-eye">
        <path d={opening} fill="#F4EEE6" />
        <g clipPath={`url(#${clip})`}>
          <g transform={`translate(${n(pose.gx)} ${n(pose.gy)})`}>
            <circle cx={x} cy={y - 2} r={8.4} fill={face.iris} />
            <circle cx={x} cy={y - 2} r={4.2} fill="#150D0B" />
            <circle cx={n(x - 2.8)} cy={y - 5} r={2} fill="#fff" />
          </g>
          <path d={lid} fill="none" stroke="#150D0B" strokeOpacity={0.22} strokeWidth={7} />
        </g>
        <Line d={lid} colour={face.deep} opacity={1} width={n(3.4 + (closed ? 1 - wide / 0.3 : 0) * 0.6)} />
        {face.lashes && (
          <Line
            d={`M${n(outer - side)} ${n(yOuter + 0.4)}l${n(side * 5.4)} -2.4`}
            colour={face.deep}
            opacity={1}
            width={2.6}
          />
        )}
      </g>
      {!closed && (
        <Line
          d={`M${n(inner + side * 3)} ${n(y - above * 1.05 - 3.2)}C${n(inner + side * 9)} ${n(y - above * 1.25 - 5)} ${n(outer - side * 8)} ${n(y - above * 1.25 - 5)} ${n(outer + side)} ${n(y - above * 0.5 - 3)}`}
          colour={face.deep}
          opacity={0.38}
          width={1.6}
        />
      )}
      <Line
        d={`M${n(inner + side * 2)} ${n(y + below + 5.5 - pose.lower * 1.5)}C${n(inner + side * 9)} ${n(y + below + 9 - pose.lower * 3)} ${n(outer - side * 9)} ${n(y + below + 9 - pose.lower * 3)} ${n(outer - side * 0.5)} ${n(y + below + 3.5 - pose.lower * 1.5)}`}
        colour={face.deep}
        opacity={n(Math.min(0.7, 0.22 + 0.5 * pose.lower + face.bags)) * 0.75}
        width={1.7}
      />
      <CrowsFeet pose={pose} face={face} side={side} x={outer} y={yOuter} />
    </>
  );
}

function CrowsFeet({ pose, face, side, x, y }: Sided & { x: number; y: number }) {
  const depth = Math.max(0, pose.lower - 0.35) * 1.1;
  if (depth === 0) {
    return null;
  }
  return [0, 1, 2].map((i) => (
    <Line
      key={i}
      d={`M${n(x + side * 5)} ${n(y - 2 + i * 4)}l${n(side * (7 + (i % 2)))} ${n(-4 + i * 3.6)}`}
      colour={face.deep}
      opacity={n(depth * 0.7)}
      width={1.6}
    />
  ));
}

export function Brow({ pose, face, side }: Sided) {
  const y = 136;
  const thick = face.browHeight;
  const inner = MIDDLE + side * (13.5 - pose.browX * 0.9);
  const outer = MIDDLE + side * (47 - pose.browX * 0.6);
  const middle = inner * 0.42 + outer * 0.58;
  const yInner = y + 2 + pose.browIn;
  const yOuter = y + 2 + pose.browOut;
  const yMiddle = y - 5 + pose.browMid + (pose.browIn + pose.browOut) * 0.22;
  return (
    <path
      d={`M${n(inner)} ${n(yInner - thick * 0.55)}Q${n(middle)} ${n(yMiddle - thick * 0.62)} ${n(outer)} ${n(yOuter)}Q${n(middle)} ${n(yMiddle + thick * 0.55)} ${n(inner - side * 0.5)} ${n(yInner + thick * 0.5)}Q${n(inner - side * 2)} ${n(yInner)} ${n(inner)} ${n(yInner - thick * 0.55)}Z`}
      fill={face.brow}
    />
  );
}

export function Nose({ pose, face }: Part) {
  const up = pose.naso * 1.6;
  return (
    <>
      <path
        d={`M147 ${n(197 - up)}C143 ${n(198 - up)} 142 ${n(204 - up)} 147 ${n(206 - up)}C152 ${n(205 - up)} 155 ${n(208 - up)} 160 ${n(208.5 - up)}C165 ${n(208 - up)} 168 ${n(205 - up)} 173 ${n(206 - up)}C178 ${n(204 - up)} 177 ${n(198 - up)} 173 ${n(197 - up)}`}
        fill="none"
        stroke={face.deep}
        strokeOpacity={0.62}
        strokeWidth={2.2}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <Line
        d={`M151 ${n(205 - up)}q4 -2.6 7 .8M162.5 ${n(205.8 - up)}q3.4 -3.4 7 -.8`}
        colour={face.deep}
        opacity={1}
        width={2.4}
      />
    </>
  );
}

/** Frown lines, forehead lines and the folds beside the nose; each appears as its number grows. */
export function Folds({ pose, face }: Part) {
  const frown = pose.browIn * 0.3;
  const forehead = Math.max(pose.fore, face.age * 0.35);
  const beside = Math.min(1, pose.naso + face.age * 0.35);
  const cheek = pose.cheek * 3;
  const wrinkle = pose.naso > 0.7 ? (pose.naso - 0.5) * 0.8 : 0;
  return (
    <>
      <Fold
        face={face}
        depth={pose.glab * 0.75}
        width={2.1}
        d={`M154.5 ${n(132 + frown)}C152.8 ${n(139 + frown)} 153.5 146 155 149`}
      />
      <Fold
        face={face}
        depth={pose.glab * 0.75}
        width={2.1}
        d={`M165.5 ${n(132 + frown)}C167.2 ${n(139 + frown)} 166.5 146 165 149`}
      />
      <Fold
        face={face}
        depth={forehead * 0.5}
        width={1.8}
        d={`M128 ${n(110 + pose.browMid)}C140 ${n(105 + pose.browIn * 0.35)} 180 ${n(105 + pose.browIn * 0.35)} 192 ${n(110 + pose.browMid)}`}
      />
      <Fold
        face={face}
        depth={forehead * 0.38}
        width={1.6}
        d={`M134 ${n(99 + pose.browMid * 0.6)}C146 ${n(95 + pose.browIn * 0.2)} 174 ${n(95 + pose.browIn * 0.2)} 186 ${n(99 + pose.browMid * 0.6)}`}
      />
      <Fold
        face={face}
        depth={beside * 0.55}
        width={2}
        d={`M143 ${n(203 - pose.naso)}C${n(134 - cheek)} 208 ${n(130 - cheek)} 216 ${n(130 - cheek)} 224`}
      />
      <Fold
        face={face}
        depth={beside * 0.6}
        width={2}
        d={`M177 ${n(203 - pose.naso)}C${n(186 + cheek)} 208 ${n(190 + cheek)} 216 ${n(190 + cheek)} 224`}
      />
      <Fold face={face} depth={wrinkle} width={1.7} d="M150 166q3 -3 5 0M165 166q3 -3 5 0" />
    </>
  );
}

function Fold({ d, depth, width, face }: { d: string; depth: number; width: number; face: Face }) {
  return depth > 0.02 ? <Line d={d} colour={face.deep} opacity={n(depth)} width={width} /> : null;
}

/** Blood in the cheeks; anger reaches nose and forehead. */
export function Cheeks({ pose, face, id }: Part & Clipped) {
  const flush = Math.max(pose.flush, pose.cheek * 0.28 * (1 - pose.pallor));
  if (flush < 0.03) {
    return null;
  }
  return (
    <>
      <radialGradient id={`${id}f`}>
        <stop offset="0" stopColor={face.blush} stopOpacity={n(flush * 4) / 10} />
        <stop offset="1" stopColor={face.blush} stopOpacity={0} />
      </radialGradient>
      <g fill={`url(#${id}f)`}>
        <ellipse cx={121} cy={190} rx={31} ry={24} />
        <ellipse cx={199} cy={190} rx={31} ry={24} />
        {pose.flush > 0.3 && (
          <>
            <ellipse cx={160} cy={194} rx={20} ry={19} />
            <ellipse cx={160} cy={112} rx={52} ry={24} opacity={0.55} />
          </>
        )}
      </g>
    </>
  );
}

export function Sweat({ pose }: { pose: Pose }): ReactNode {
  const wet = pose.sweat;
  const drops: [x: number, y: number, size: number, opacity: number, from: number][] = [
    [112, 112, 0.9, Math.min(1, wet * 1.6), 0.05],
    [206, 122, 0.8, Math.min(1, wet * 1.3), 0.3],
    [128, 92, 0.65, wet, 0.6],
    [103, 196, 0.75, wet, 0.6],
    [191, 97, 0.6, wet, 0.6],
  ];
  return drops
    .filter(([, , , , from]) => wet > from)
    .map(([x, y, s, opacity]) => (
      <path
        key={x}
        d={`M${x} ${y}c${n(3.4 * s)} ${n(5 * s)} ${n(4.2 * s)} ${n(7 * s)} ${n(4.2 * s)} ${n(9.2 * s)}a${n(4.2 * s)} ${n(4.2 * s)} 0 1 1 ${n(-8.4 * s)} 0c0 ${n(-2.2 * s)} ${n(0.8 * s)} ${n(-4.2 * s)} ${n(4.2 * s)} ${n(-9.2 * s)}z`}
        fill="#DDF0F4"
        stroke="#5D8F9C"
        strokeWidth={1}
        opacity={n(opacity)}
      />
    ));
}

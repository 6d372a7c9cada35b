import type { ReactNode } from "react";
import type { Industry } from "../../content/industries";
import { compressionsPath } from "../../drawing/lanes";

function Drawing({ children }: { children: ReactNode }) {
  return (
    <svg viewBox="0 0 400 300" preserveAspectRatio="xMidYMid slice" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

export function Headset() {
  return (
    <Drawing>
      <path className="g-line" strokeWidth={16} d="M92 170C92 40 308 40 308 170" />
      <rect className="g-you" x={92} y={132} width={180} height={96} rx={24} />
      <path className="g-deep" d="M276 158h40a26 26 0 0 1 0 52h-40z" />
      <path className="t-pen" d="M116 196c24 0 22-30 42-30s16 22 38 22 24-40 52-46" />
    </Drawing>
  );
}

export function Cohort() {
  const seats = Array.from({ length: 32 }, (_, i) => ({ x: 42 + (i % 8) * 45, y: 62 + Math.floor(i / 8) * 62, i }));
  return (
    <Drawing>
      {seats.map(({ x, y, i }) => (
        <g key={i} className={i === 11 ? "g-you" : "g-seat"}>
          <circle cx={x} cy={y} r={8} />
          <path d={`M${x - 16} ${y + 26}a16 16 0 0 1 32 0z`} />
        </g>
      ))}
    </Drawing>
  );
}

export function PrintedReport() {
  return (
    <Drawing>
      <path className="g-sheet" d="M100 28h200v272H100z" />
      <path className="t-base" d="M122 128h156" />
      <path
        className="t-you"
        d="M126 125v-18h5v18zM136 125v-28h5v28zM146 125v-14h5v14zM192 125v-32h5v32zM202 125v-20h5v20zM244 125v-24h5v24z"
      />
      <path
        className="t-them"
        d="M158 131v22h5v-22zM168 131v14h5v-14zM178 131v28h5v-28zM214 131v18h5v-18zM226 131v26h5v-26z"
      />
      <path className="t-pen" d="M122 128C140 122 152 108 168 104S206 84 224 78 262 62 274 58" />
      <circle className="t-dot" cx={274} cy={58} r={6} />
      <path className="g-rule" d="M122 188h156M122 214h156M122 240h156" />
      <path className="g-ink" d="M122 188h118M122 214h90M122 240h132" />
    </Drawing>
  );
}

/** What hands work on in this industry. */
export function Instrument({ industry }: { industry: Industry["id"] }) {
  if (industry === "healthcare") {
    return (
      <Drawing>
        <circle className="g-seat" cx={72} cy={84} r={36} />
        <path className="g-seat" d="M104 112C140 66 240 58 400 70V118H150C126 124 112 122 104 112Z" />
        <path className="g-you" d="M206 22h40v26h-40zM184 52h84a8 8 0 0 1 0 16h-84a8 8 0 0 1 0-16z" />
        <path className="c-pulse" d={compressionsPath(400, 254, 74)} />
      </Drawing>
    );
  }
  if (industry === "airlines") {
    return (
      <Drawing>
        <path className="g-seat" d="M0 246C90 200 310 200 400 246V300H0Z" />
        {[58, 160, 262].map((x, i) => (
          <g key={x}>
            <path className={i === 1 ? "g-you" : "g-line-fill"} d={`M${x} 236V112a40 40 0 0 1 80 0v124z`} />
            <path className="g-deep" d={`M${x - 8} 196h96v40h-96z`} />
          </g>
        ))}
        <path className="t-pen" d="M0 62C60 62 80 40 140 40S230 66 290 58 350 30 400 30" />
      </Drawing>
    );
  }
  return (
    <Drawing>
      <path className="g-sheet" d="M60 40h280v172H60z" />
      <path className="t-base" d="M84 178h232" />
      <path className="t-them" d="M96 178v-84h22v84zM134 178v-70h22v70z" />
      <path className="t-you" d="M192 178v-58h22v58zM230 178v-44h22v44zM268 178v-30h22v30z" />
      <path className="t-pen" d="M107 82L145 96 203 108 241 122 279 138" />
      <path className="g-deep" d="M190 212h20v44h-20zM140 256h120v8H140z" />
    </Drawing>
  );
}

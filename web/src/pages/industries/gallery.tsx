import type { Industry } from "../../content/industries";
import { Portrait } from "../../drawing/portrait";
import { poseFor } from "../../drawing/pose";
import { CASES } from "../../run/cases";

/** Pictures of the industry. Until there are uploads they are drawings, and say so. */
export function Gallery({ industry }: { industry: Industry }) {
  const about = CASES[industry.slug];
  const tile = `gallery-tile paper paper-${industry.paper}`;
  return (
    <section className="section">
      <div className="wrap">
        <h2 className="section-title">{industry.galleryTitle}</h2>
        <ul className="gallery">
          <li className="gallery-large">
            <div className={tile}>
              <Portrait
                character={about.character}
                pose={poseFor(about.character, "calm", 0.6)}
                id={`gallery-${industry.slug}`}
                title={`Drawing: the virtual human of “${about.title}”`}
              />
            </div>
            <p>The virtual human, drawn by number</p>
          </li>
          <li>
            <div className={tile}>
              <Headset />
            </div>
            <p>The same case in a headset (drawing)</p>
          </li>
          <li>
            <div className={tile}>
              <Cohort />
            </div>
            <p>One cohort, one learner selected (drawing)</p>
          </li>
        </ul>
      </div>
    </section>
  );
}

function Headset() {
  return (
    <svg viewBox="0 0 400 300" aria-hidden="true" focusable="false">
      <path className="g-line" strokeWidth={16} d="M92 170C92 40 308 40 308 170" />
      <rect className="g-you" x={92} y={132} width={180} height={96} rx={24} />
      <path className="g-deep" d="M276 158h40a26 26 0 0 1 0 52h-40z" />
      <path className="t-pen" d="M116 196c24 0 22-30 42-30s16 22 38 22 24-40 52-46" />
    </svg>
  );
}

function Cohort() {
  const seats = Array.from({ length: 32 }, (_, i) => ({ x: 42 + (i % 8) * 45, y: 62 + Math.floor(i / 8) * 62, i }));
  return (
    <svg viewBox="0 0 400 300" aria-hidden="true" focusable="false">
      {seats.map(({ x, y, i }) => (
        <g key={i} className={i === 11 ? "g-you" : "g-seat"}>
          <circle cx={x} cy={y} r={8} />
          <path d={`M${x - 16} ${y + 26}a16 16 0 0 1 32 0z`} />
        </g>
      ))}
    </svg>
  );
}

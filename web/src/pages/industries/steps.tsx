import type { Industry } from "../../content/industries";
import { Portrait } from "../../drawing/portrait";
import { poseFor } from "../../drawing/pose";
import { CASES } from "../../run/cases";

/** How it works, in three. The pictures are drawn, and marked as examples where they show a score. */
export function Steps({ industry }: { industry: Industry }) {
  const about = CASES[industry.slug];
  const paper = `steps-art paper paper-${industry.paper}`;
  const [read, talk, score] = industry.steps;
  return (
    <section className="section section-tight">
      <div className="wrap">
        <h2 className="section-title">{industry.stepsTitle}</h2>
        <ol className="steps">
          <li>
            <div className={paper} aria-hidden="true">
              <div className="steps-brief">
                <b>{about.title}</b>
                <p>{about.teaser}</p>
              </div>
            </div>
            <h3>1. {read?.title}</h3>
            <p>{read?.text}</p>
          </li>
          <li>
            <div className={paper} aria-hidden="true">
              <div className="steps-face">
                <Portrait
                  character={about.character}
                  pose={poseFor(about.character, about.emotion, about.mood)}
                  id={`steps-${industry.slug}`}
                />
              </div>
              <svg className="steps-bars" viewBox="0 0 320 104" aria-hidden="true" focusable="false">
                <path className="t-base" d="M0 50H320" />
                <path className="t-them" d={words(0, THEM, 53, 1)} />
                <path className="t-you" d={words(120, YOU, 47, -1)} />
                <path className="t-them" d={words(250, THEM, 53, 1)} />
              </svg>
            </div>
            <h3>2. {talk?.title}</h3>
            <p>{talk?.text}</p>
          </li>
          <li>
            <div className={paper} aria-hidden="true">
              <span className="steps-label">Example report</span>
              <strong className="steps-score">84</strong>
            </div>
            <h3>3. {score?.title}</h3>
            <p>{score?.text}</p>
          </li>
        </ol>
      </div>
    </section>
  );
}

/** Letters of some words; only their rhythm is drawn. */
const THEM = [2, 4, 4, 2, 3, 2, 1, 5];
const YOU = [3, 2, 9, 4, 6, 3, 5, 7, 2, 8, 4];

function words(from: number, lengths: readonly number[], base: number, down: number): string {
  return lengths.map((l, i) => `M${from + i * 11} ${base}v${down * (4 + l * 4.2)}h5V${base}z`).join("");
}

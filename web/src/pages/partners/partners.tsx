import { ArrowRight } from "lucide-react";
import type { ReactNode } from "react";
import { BRAND } from "../../content/company";

interface Kind {
  title: string;
  who: string;
  brings: string;
  gets: string;
  paper: "rose" | "sky" | "ledger";
  drawing: ReactNode;
}

const KINDS: readonly Kind[] = [
  {
    title: "Content partners",
    who: "Those who know a field: clinicians, crew trainers, sales coaches, publishers.",
    brings: "Procedures, cases and the eye of an examiner.",
    gets: "Your knowledge as conversations that people rehearse, under your name, judged by your criteria.",
    paper: "rose",
    drawing: (
      <>
        <path className="g-sheet" d="M40 22h112l28 28v128H40z" />
        <path className="t-lead" d="M60 66h84M60 90h100M60 114h92M60 138h58" />
        <path
          className="t-you"
          d="M212 96v-30h6v30zM226 96v-44h6v44zM240 96v-22h6v22zM254 96v-52h6v52zM268 96v-34h6v34zM282 96v-18h6v18z"
        />
        <path className="t-them" d="M226 102v26h6v-26zM240 102v40h6v-40zM254 102v20h6v-20zM268 102v32h6v-32z" />
        <path className="t-base" d="M200 99h104" />
      </>
    ),
  },
  {
    title: "Hardware partners",
    who: "Those who build devices: manikins, flight simulators, headsets, sensors, haptics.",
    brings: "Devices that can be felt and measured.",
    gets: "A device-connection service that puts what your device measures beside what the learner said.",
    paper: "sky",
    drawing: (
      <>
        <rect className="g-you" x={44} y={70} width={104} height={60} rx={16} />
        <path className="g-deep" d="M152 84h26a16 16 0 0 1 0 32h-26z" />
        <path className="g-line" strokeWidth={10} d="M44 92C44 22 178 22 178 92" />
        <path className="c-pulse" d="M212 130c8 0 8-70 16-70s8 70 16 70 8-78 16-78 8 78 16 78 8-66 16-66 8 66 16 66" />
        <path className="t-base" d="M204 131h112" />
      </>
    ),
  },
  {
    title: "Institutional partners",
    who: "Those who teach: hospitals, universities, airlines, health groups, companies with an academy.",
    brings: "Learners, rooms and questions that matter.",
    gets: "Training that scales from 10 to over 100,000 learners, and figures on what it changed.",
    paper: "ledger",
    drawing: (
      <>
        {Array.from({ length: 18 }, (_, i) => ({ x: 52 + (i % 6) * 44, y: 48 + Math.floor(i / 6) * 48, i })).map(
          ({ x, y, i }) => (
            <g key={i} className={i === 8 ? "g-you" : "g-seat"}>
              <circle cx={x} cy={y} r={8} />
              <path d={`M${x - 15} ${y + 25}a15 15 0 0 1 30 0z`} />
            </g>
          ),
        )}
      </>
    ),
  },
];

export function PartnersPage() {
  return (
    <main id="main">
      <section className="wrap page-hero">
        <h1 tabIndex={-1}>Partner With Us</h1>
        <div>
          <p className="lead">
            {BRAND} brings the virtual humans, the scoring and the connections. Content, hardware and institutional
            partners bring what no platform can have by itself.
          </p>
        </div>
      </section>
      <section className="wrap" aria-label="Kinds of partners">
        <ul className="partners">
          {KINDS.map((kind) => (
            <li key={kind.title} className={`partner paper-${kind.paper}`}>
              <div className="partner-art paper" aria-hidden="true">
                <svg viewBox="0 0 340 196" aria-hidden="true" focusable="false">
                  {kind.drawing}
                </svg>
              </div>
              <div className="partner-text">
                <h2>{kind.title}</h2>
                <p>{kind.who}</p>
                <dl>
                  <dt>You bring</dt>
                  <dd>{kind.brings}</dd>
                  <dt>You get</dt>
                  <dd>{kind.gets}</dd>
                </dl>
              </div>
            </li>
          ))}
        </ul>
      </section>
      <section className="closing">
        <div className="wrap closing-in">
          <div>
            <h2>Tell us what you would build.</h2>
            <p className="lead closing-lead">Three sentences are enough to begin with. We respond within 24 hours.</p>
          </div>
          <div className="row">
            <a className="btn btn-primary btn-lg" href="/contact?reason=partnership">
              Talk about a partnership <ArrowRight size={18} strokeWidth={1.75} />
            </a>
            <a className="btn btn-outline btn-lg" href="/platform#simcloud">
              See SimCloud
            </a>
          </div>
        </div>
      </section>
    </main>
  );
}

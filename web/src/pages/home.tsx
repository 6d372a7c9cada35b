import { ArrowRight } from "lucide-react";
import { BOOK_DEMO, BRAND, OFFERINGS, TAGLINE } from "../content/company";
import { SCENARIO_DIALOG } from "../frame/scenario-dialog";

const DIFFERENCE = [
  {
    title: "Unified Ecosystem",
    text: "One place for AI conversations, VR, AR and physical simulators, with one record of what each learner did.",
  },
  {
    title: "Performance You Can Measure",
    text: "Every point in a report stands next to the words that earned it. If it cannot be quoted, it is not scored.",
  },
  {
    title: "Speed to Reality: Minutes, Not Months",
    text: "SOPs, manuals and documents become dialogue simulations that people can rehearse.",
  },
];

const PRIVACY = [
  { title: "Encryption", text: "In transit and at rest." },
  { title: "Dual-region hosting", text: "With data sovereignty." },
  { title: "Role-based access control", text: "With audit logs." },
  { title: "No selling or sharing", text: "Customer data stays the customer’s." },
];

export function HomePage() {
  return (
    <main id="main">
      <section className="hero wrap">
        <div>
          <h1 tabIndex={-1}>Rehearse the conversation before it counts.</h1>
        </div>
        <div>
          <p className="hero-tagline">{TAGLINE.join(" ")}</p>
          <p className="lead">
            Talk with an AI virtual human. Watch it react to what you say. Get a scored report that quotes your own
            words back to you.
          </p>
          <div className="row hero-actions">
            <button type="button" className="btn btn-primary btn-lg" data-opens={SCENARIO_DIALOG}>
              Try a Scenario <ArrowRight size={18} strokeWidth={1.75} />
            </button>
            <a className="btn btn-outline btn-lg" href={BOOK_DEMO}>
              Book a Demo
            </a>
          </div>
        </div>
      </section>
      <section className="section wrap" aria-labelledby="offerings">
        <h2 className="section-title" id="offerings">
          Three technologies. One powerful ecosystem.
        </h2>
        <ul className="cards">
          {OFFERINGS.map((offering) => (
            <li key={offering.anchor}>
              <a className="card" href={`/platform#${offering.anchor}`}>
                <h3>{offering.name}</h3>
                <p className="card-role">{offering.role}</p>
                <p>{offering.text}</p>
              </a>
            </li>
          ))}
        </ul>
      </section>
      <section className="section-tight wrap" aria-labelledby="difference">
        <h2 className="section-title" id="difference">
          {BRAND} Difference
        </h2>
        <Cards items={DIFFERENCE} />
      </section>
      <section className="section wrap" aria-labelledby="privacy">
        <h2 className="section-title" id="privacy">
          Privacy &amp; Data Security
        </h2>
        <Cards items={PRIVACY} />
        <p className="after-cards">
          <a className="btn btn-outline btn-lg" href="/privacy">
            Learn More About Our Security
          </a>
        </p>
      </section>
    </main>
  );
}

function Cards({ items }: { items: readonly { title: string; text: string }[] }) {
  return (
    <ul className="cards">
      {items.map((item) => (
        <li key={item.title} className="card">
          <h3>{item.title}</h3>
          <p>{item.text}</p>
        </li>
      ))}
    </ul>
  );
}

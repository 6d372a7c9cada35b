import { BOOK_DEMO, OFFERINGS } from "../content/company";
import { SCENARIO_DIALOG } from "../frame/scenario-dialog";

export function PlatformPage() {
  return (
    <main id="main" className="wrap plain-page">
      <h1 tabIndex={-1}>Three technologies. One powerful ecosystem.</h1>
      {OFFERINGS.map((offering) => (
        <section key={offering.anchor} id={offering.anchor}>
          <h2>{offering.name}</h2>
          <p className="card-role">{offering.role}</p>
          <p className="lead">{offering.text}</p>
        </section>
      ))}
      <section>
        <h2>Ready to Upscale Training?</h2>
        <div className="row">
          <button type="button" className="btn btn-primary btn-lg" data-opens={SCENARIO_DIALOG}>
            Try a Scenario
          </button>
          <a className="btn btn-outline btn-lg" href={BOOK_DEMO}>
            Book a Demo
          </a>
        </div>
      </section>
    </main>
  );
}

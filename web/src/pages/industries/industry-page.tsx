import { ArrowRight } from "lucide-react";
import { BOOK_DEMO } from "../../content/company";
import type { Industry } from "../../content/industries";
import { Island } from "../../lib/island";
import { ScenarioWidget } from "../../run/widget";
import { NOT_ADVICE } from "../../run/words";
import { CaseStudy } from "./case-study";
import { Gallery } from "./gallery";
import { Steps } from "./steps";

/** An industry: its scenario to try at once, and what it is good for. */
export function IndustryPage({ industry }: { industry: Industry }) {
  const props = { slug: industry.slug };
  return (
    <main id="main">
      <section className={`ind-hero paper paper-${industry.paper}`}>
        <div className="wrap ind-hero-in">
          <div>
            <h1 tabIndex={-1}>{industry.headline}</h1>
            <p className="lead">{industry.lead}</p>
            <div className="row ind-actions">
              <a className="btn btn-primary btn-lg" href={BOOK_DEMO}>
                Book a Demo <ArrowRight size={18} strokeWidth={1.75} />
              </a>
              {industry.fullPage && (
                <a className="btn btn-outline btn-lg" href={industry.fullPage}>
                  Open full page
                </a>
              )}
            </div>
            <p className="ind-note">
              {industry.facts} {NOT_ADVICE}
            </p>
          </div>
          <Island name="widget" props={props}>
            <ScenarioWidget {...props} />
          </Island>
        </div>
      </section>
      <CaseStudy industry={industry} />
      <Steps industry={industry} />
      <Gallery industry={industry} />
    </main>
  );
}

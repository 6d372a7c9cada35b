import { ArrowRight } from "lucide-react";
import { BOOK_DEMO, TAGLINE } from "../../content/company";
import { TryButton } from "../../frame/try-button";
import { Recorder } from "../recorder";
import { Difference } from "./difference";
import { HeroStrip } from "./hero-strip";
import { Institutions } from "./institutions";
import { PrivacyBand } from "./privacy-band";

export function HomePage() {
  return (
    <main id="main">
      <section className="hero">
        <div className="wrap hero-top">
          <h1 tabIndex={-1}>Rehearse the conversation before it counts.</h1>
          <div>
            <p className="hero-tagline">{TAGLINE.join(" ")}</p>
            <p className="lead">
              Talk with an AI virtual human. Watch it react to what you say. Get a scored report that quotes your own
              words back to you.
            </p>
            <div className="row hero-actions">
              <TryButton className="btn btn-primary btn-lg">
                Try a Scenario <ArrowRight size={18} strokeWidth={1.75} />
              </TryButton>
              <a className="btn btn-outline btn-lg" href={BOOK_DEMO}>
                Book a Demo
              </a>
            </div>
          </div>
        </div>
        <HeroStrip />
      </section>
      <section className="section wrap" aria-labelledby="channels">
        <div className="section-head">
          <h2 id="channels">One moment, recorded on three channels.</h2>
          <p>
            A trainee presses on a manikin’s chest and tells the patient she is staying. SimPulse feels it, Simpelo
            answers it, SimCloud files it.
          </p>
        </div>
        <Recorder />
      </section>
      <Institutions />
      <Difference />
      <PrivacyBand />
    </main>
  );
}

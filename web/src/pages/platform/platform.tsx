import { ArrowRight } from "lucide-react";
import { BOOK_DEMO, OFFERINGS } from "../../content/company";
import { TryButton } from "../../frame/try-button";
import { ChannelArt } from "../recorder";
import { Scale } from "./scale";
import { VrModules } from "./vr-modules";

/** What each offering does, point by point. */
const POINTS = {
  simcloud: [
    { title: "Connects", text: "AI, VR, AR and physical simulators report to one place." },
    { title: "Tracks learners", text: "One record for each learner, whatever they trained on." },
    { title: "Fits in", text: "Integrates with learning management systems and authentication." },
    { title: "Scales", text: "From 10 to over 100,000 learners." },
  ],
  simpelo: [
    { title: "Starts from your documents", text: "SOPs, manuals and documents become dialogue simulations." },
    { title: "Adapts", text: "The virtual human answers what was said, and remembers it." },
    { title: "Scores in real time", text: "Performance is scored while the conversation goes on." },
    { title: "Gives feedback", text: "Each point stands beside the words that earned it." },
  ],
  simpulse: [
    { title: "Manikins", text: "Compressions, breaths and pulses as data, at the moment they happen." },
    { title: "Flight simulators", text: "The cabin and the cockpit become part of the case." },
    { title: "VR headsets", text: "Connected IoT devices, like everything else in the room." },
    { title: "Haptic feedback", text: "What the hands do is answered to the hands." },
  ],
} as const;

export function PlatformPage() {
  return (
    <main id="main">
      <section className="wrap page-hero">
        <h1 tabIndex={-1}>Three technologies. One powerful ecosystem.</h1>
        <p className="lead">
          An operating system layer, an AI engine and a hardware layer. They record the same moment, so that one learner
          has one record.
        </p>
      </section>
      {OFFERINGS.map((offering) => (
        <section
          key={offering.anchor}
          id={offering.anchor}
          className="offering"
          aria-labelledby={`${offering.anchor}-name`}
        >
          <div className="wrap offering-in">
            <div className="offering-text">
              <h2 id={`${offering.anchor}-name`}>{offering.name}</h2>
              <p className="channel-role">{offering.role}</p>
              <p className="lead">{offering.text}</p>
            </div>
            <dl className="points">
              {POINTS[offering.anchor].map(({ title, text }) => (
                <div key={title}>
                  <dt>{title}</dt>
                  <dd>{text}</dd>
                </div>
              ))}
            </dl>
          </div>
          <div className="offering-strip">
            <ChannelArt anchor={offering.anchor} />
          </div>
          {offering.anchor === "simcloud" && <Scale />}
          {offering.anchor === "simpulse" && <VrModules />}
        </section>
      ))}
      <section className="closing">
        <div className="wrap closing-in">
          <h2>Ready to Upscale Training?</h2>
          <div className="row">
            <TryButton className="btn btn-primary btn-lg">
              Try a Scenario <ArrowRight size={18} strokeWidth={1.75} />
            </TryButton>
            <a className="btn btn-outline btn-lg" href={BOOK_DEMO}>
              Book a Demo
            </a>
          </div>
        </div>
      </section>
    </main>
  );
}

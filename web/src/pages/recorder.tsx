import { ArrowRight } from "lucide-react";
import type { ReactNode } from "react";
import { OFFERINGS } from "../content/company";
import { compressionsPath, lanePath, lanesPath } from "../drawing/lanes";
import { barsPath, layout } from "../drawing/trace";

type Anchor = (typeof OFFERINGS)[number]["anchor"];

/** What each channel writes at the same instant. */
const INSTANT: Record<Anchor, { title: string; note: string }> = {
  simcloud: { title: "Learner record updated", note: "LMS notified" },
  simpelo: { title: "“I’m right here with you.”", note: "Calmed her and stayed" },
  simpulse: { title: "Compression, 53 mm", note: "In range" },
};

/** The three offerings as channels of one recorder, with one instant marked through all of them. */
export function Recorder() {
  return (
    <div className="recorder">
      {OFFERINGS.map((offering) => (
        <a key={offering.anchor} className="channel" href={`/platform#${offering.anchor}`}>
          <div className="channel-text">
            <h3>{offering.name}</h3>
            <p className="channel-role">{offering.role}</p>
            <p>{offering.short}</p>
            <span className="more">
              Explore {offering.name} <ArrowRight size={17} strokeWidth={1.75} />
            </span>
          </div>
          <ChannelArt anchor={offering.anchor} />
        </a>
      ))}
      <i className="recorder-cursor" aria-hidden="true" />
    </div>
  );
}

/** What a channel records, around the instant. Decoration: the text beside it says the same. */
export function ChannelArt({ anchor }: { anchor: Anchor }) {
  const { title, note } = INSTANT[anchor];
  return (
    <div className="channel-art paper paper-plain" aria-hidden="true">
      <svg viewBox={`0 0 ${WIDTH} 152`} aria-hidden="true" focusable="false">
        {ART[anchor]}
      </svg>
      <span className="channel-note">
        <b>{title}</b>
        {note}
      </span>
    </div>
  );
}

// Wide enough for the widest screen; rows cut off what they have no room for.
const WIDTH = 1500;
const INSTANT_X = 593;
const LANES = { count: 9, step: 14, learner: 4 };

const words = layout(
  [
    { who: "them", text: "It feels like someone is standing on me" },
    { who: "you", text: "We are looking after you now Rosa the whole team has been called" },
    { who: "them", text: "Will you go away again Please do not" },
    { who: "you", text: "I’m right here with you the whole time Rosa" },
    { who: "them", text: "All right I will breathe with you but tell them to hurry" },
    { who: "you", text: "They are at the door Rosa here they are" },
    { who: "them", text: "Thank you for staying" },
  ],
  { pitch: 16.4, gap: 24, unit: 3.9, least: 5 },
);

const ART: Record<Anchor, ReactNode> = {
  simcloud: (
    <>
      <path
        className="c-faint"
        d={Array.from({ length: LANES.count }, (_, i) => `M0 ${10 + i * LANES.step}H${WIDTH}`).join("")}
      />
      <path className="c-lanes" d={lanesPath(LANES.count, WIDTH, LANES.step, LANES.learner)} />
      <path className="c-lane" d={lanePath(LANES.learner, INSTANT_X, LANES.step)} />
      <circle className="t-dot" cx={INSTANT_X} cy={10 + LANES.learner * LANES.step} r={7} />
    </>
  ),
  simpelo: (
    <>
      <path className="t-base" d={`M0 76H${WIDTH}`} />
      <path className="t-them" d={barsPath(words, "them", 76)} />
      <path className="t-you" d={barsPath(words, "you", 76)} />
      <circle className="t-dot" cx={INSTANT_X} cy={76} r={7} />
    </>
  ),
  simpulse: (
    <>
      <path className="c-range" d={`M0 34H${WIDTH}V52H0z`} />
      <path className="t-base" d={`M0 122H${WIDTH}`} />
      <path className="c-pulse" d={compressionsPath(WIDTH, 122, 82)} />
      <circle className="t-dot" cx={INSTANT_X} cy={43} r={7} />
    </>
  ),
};

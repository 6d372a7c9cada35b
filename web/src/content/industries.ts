import type { ExampleName } from "./examples";

/** What an industry page says around its scenario. */
export interface Industry {
  /** As the gallery and the scenarios call it. */
  id: "healthcare" | "airlines" | "corporate";
  paper: "rose" | "sky" | "ledger";
  slug: "healthcare-emergency" | "aviation-cabin-crew" | "corporate-sales";
  headline: string;
  lead: string;
  facts: string;
  fullPage?: string;
  study: {
    title: string;
    text: string;
    figures: readonly { value: string; label: string }[];
    gain?: { value: string; label: string };
  };
  stepsTitle: string;
  /** The run that the steps show. */
  example: ExampleName;
  steps: readonly { title: string; text: string }[];
  galleryTitle: string;
  /** Caption of the drawing of what hands work on. */
  instrument: string;
}

export const HEALTHCARE: Industry = {
  id: "healthcare",
  paper: "rose",
  slug: "healthcare-emergency",
  headline: "The first ten minutes, before they are real.",
  lead: "Your nurses and doctors assess, reassure and decide with a patient who answers back. The report quotes what they said and shows what to change.",
  facts: "Eight turns, about five minutes. No account. Please do not type real patient data.",
  fullPage: "/try/healthcare",
  study: {
    title: "Case study: rehearsal at the scale of a whole school",
    text: "Students rehearse by text from any browser, then repeat the case on the simulation ward with manikins and headsets.",
    figures: [
      { value: "45+", label: "scenarios" },
      { value: "2000+", label: "students" },
    ],
    gain: { value: "+41%", label: "improvement in assessed performance" },
  },
  example: "emergency",
  stepsTitle: "Three steps from SOP to score",
  steps: [
    {
      title: "Read the situation",
      text: "A short brief, the vitals, and the three things you will be scored on. Nothing hidden.",
    },
    {
      title: "Talk it through",
      text: "Type as you would speak. Rosa’s face, pain and answers change with what you say and what you miss.",
    },
    {
      title: "Read your own words back",
      text: "An overall score, three dimensions, and the exact sentences that earned or cost you points.",
    },
  ],
  galleryTitle: "From the simulation ward",
  instrument: "Compression depth, read from the manikin",
};

export const AIRLINES: Industry = {
  id: "airlines",
  paper: "sky",
  slug: "aviation-cabin-crew",
  headline: "Settle 14C before the whole cabin listens.",
  lead: "Your crew meets a passenger who has had enough, and enough to drink. He reacts to every word, and the report shows which ones helped.",
  facts: "Eight turns, about five minutes. No account.",
  study: {
    title: "Case study: a class before its first flight",
    text: "Trainees meet the difficult passenger in the browser before they meet him in the mock-up cabin.",
    figures: [{ value: "220", label: "trainees" }],
    gain: { value: "+70%", label: "improvement in assessed performance" },
  },
  example: "cabin",
  stepsTitle: "Three steps from procedure to score",
  steps: [
    { title: "Read the situation", text: "Where you are, who he is, what the crew manual asks of you." },
    {
      title: "Talk it through",
      text: "Type as you would speak. The tension in the cabin rises and falls with what you say.",
    },
    {
      title: "Read your own words back",
      text: "An overall score, the dimensions, and the exact sentences that earned or cost you points.",
    },
  ],
  galleryTitle: "From the cabin",
  instrument: "A row of the mock-up cabin",
};

export const CORPORATE: Industry = {
  id: "corporate",
  paper: "ledger",
  slug: "corporate-sales",
  headline: "Pitch to the CFO who has heard it all.",
  lead: "Your team sells an ERP migration to somebody who was burnt by the last one. She wants numbers, and the report shows which of yours held.",
  facts: "Eight turns, about five minutes. No account.",
  study: {
    title: "Case study: one sales floor, one habit changed",
    text: "Account teams rehearse the objections they fear most, and then the ones that they did not expect.",
    figures: [],
  },
  example: "boardroom",
  stepsTitle: "Three steps from playbook to score",
  steps: [
    { title: "Read the situation", text: "Who she is, what she runs, what the last migration cost." },
    { title: "Talk it through", text: "Type as you would speak. Her conviction grows or shrinks with each answer." },
    {
      title: "Read your own words back",
      text: "An overall score, the dimensions, and the exact sentences that earned or cost you points.",
    },
  ],
  galleryTitle: "From the boardroom",
  instrument: "The figures behind the pitch",
};

/**
 * What the owner configures. The build does not know it: these blanks stand in
 * the pages, and the server fills them (`server/site/blanks.go`).
 */
export const BRAND = "{%.Brand%}";
export const CONTACT_EMAIL = "{%.ContactEmail%}";
export const YEAR = "{%.Year%}";
export const TAGLINE = ["{%index .Tagline 0%}", "{%index .Tagline 1%}"] as const;
/** Days after which demo sessions are deleted. */
export const RETENTION_DAYS = "{%.RetentionDays%}";
/** Scheme and host of the site. */
export const SITE_URL = "{%.URL%}";

interface Link {
  label: string;
  href: string;
}

/** The three offerings, with their anchors on the platform page. */
export const OFFERINGS = [
  {
    anchor: "simcloud",
    name: "SimCloud",
    role: "Operating system layer",
    short:
      "Connects AI, VR, AR and physical simulators. Tracks every learner, from 10 to over 100,000, and reports to your learning management system.",
    text: "Connects AI, VR, AR and physical simulators, tracks learners, integrates with learning management systems and authentication, and scales from 10 to over 100,000 learners.",
  },
  {
    anchor: "simpelo",
    name: "Simpelo",
    role: "AI engine",
    short: "Turns SOPs, manuals and documents into adaptive dialogue with real-time performance scoring and feedback.",
    text: "Turns SOPs, manuals and documents into adaptive AI dialogue simulations with real-time performance scoring and feedback.",
  },
  {
    anchor: "simpulse",
    name: "SimPulse",
    role: "Hardware layer",
    short: "Turns manikins, flight simulators and VR headsets into connected IoT devices with haptic feedback.",
    text: "Turns manikins, flight simulators and VR headsets into connected IoT devices with haptic feedback.",
  },
] as const;

export const PLATFORM_LINKS: readonly Link[] = OFFERINGS.map(({ name, anchor }) => ({
  label: name,
  href: `/platform#${anchor}`,
}));

export const INDUSTRY_LINKS: readonly Link[] = [
  { label: "Healthcare", href: "/industries/healthcare" },
  { label: "Airlines", href: "/industries/airlines" },
  { label: "Corporate / Sales", href: "/industries/corporate" },
];

export const COMPANY_LINKS: readonly Link[] = [
  { label: "Privacy & Security", href: "/privacy" },
  { label: "Partner With Us", href: "/partners" },
  { label: "Contact", href: "/contact" },
];

export const DEMO_LINKS = [
  { label: "Healthcare Demo", href: "/industries/healthcare", paper: "rose" },
  { label: "Aviation Demo", href: "/industries/airlines", paper: "sky" },
  { label: "Corporate Demo", href: "/industries/corporate", paper: "ledger" },
] as const;

export const BOOK_DEMO = "/contact?reason=demo";

/** The scenario dialog's cards. */
export const SCENARIO_CARDS = [
  {
    title: "Healthcare",
    text: "Chest pain in the emergency room",
    action: "Try Medical Scenario",
    href: "/industries/healthcare",
    paper: "rose",
    character: "patient",
    emotion: "pain",
  },
  {
    title: "Aviation",
    text: "A passenger without his seat",
    action: "Try Cabin Crew Scenario",
    href: "/industries/airlines",
    paper: "sky",
    character: "passenger",
    emotion: "angry",
  },
  {
    title: "Corporate / Sales",
    text: "An ERP migration, pitched to the CFO",
    action: "Try Sales Scenario",
    href: "/industries/corporate",
    paper: "ledger",
    character: "cfo",
    emotion: "angry",
  },
] as const;

import type { ReactNode } from "react";
import type { ShareCard } from "./build/share-card";
import { BRAND } from "./content/company";
import { ContactPage } from "./pages/contact/contact";
import { HomePage } from "./pages/home/home";
import { AirlinesPage } from "./pages/industries/airlines";
import { CorporatePage } from "./pages/industries/corporate";
import { HealthcarePage } from "./pages/industries/healthcare";
import { NotFoundPage } from "./pages/not-found";
import { PartnersPage } from "./pages/partners/partners";
import { PlatformPage } from "./pages/platform/platform";
import { OwnDataPage } from "./pages/privacy/own-data";
import { PrivacyPage } from "./pages/privacy/privacy";
import { TryHealthcarePage } from "./pages/try/healthcare";

/** One public page, rendered at build time. */
export interface Route {
  /** Where it is, or `404` for the answer to every unknown path. */
  path: string;
  /** What it is called in a trail of links. */
  name: string;
  title: string;
  description: string;
  page: () => ReactNode;
  /** What the picture of a link to it shows. */
  share: ShareCard;
  /** Pages with a demo run show the banner above all else. */
  demo?: boolean;
  /** Reached by a link that is mailed: search engines leave it out. */
  unlisted?: boolean;
  /** A page without the site's header and footer. */
  bare?: boolean;
}

/** The pages. */
export const ROUTES: readonly Route[] = [
  {
    path: "/",
    name: "Home",
    share: { paper: "rose", lines: ["Rehearse the conversation", "before it counts."], example: "emergency" },
    title: `${BRAND}: rehearse the conversation before it counts`,
    description:
      "Talk with an AI virtual human, watch it react to what you say, and get a scored report that quotes your own words.",
    page: HomePage,
  },
  {
    path: "/platform",
    name: "Platform",
    share: { paper: "sky", lines: ["Three technologies.", "One powerful ecosystem."], example: "cabin" },
    title: `Our Solution: ${BRAND}`,
    description: "Three technologies, one powerful ecosystem: SimCloud, Simpelo and SimPulse.",
    page: PlatformPage,
  },
  {
    path: "/industries/healthcare",
    name: "Healthcare",
    share: { paper: "rose", lines: ["The first ten minutes,", "before they are real."], example: "emergency" },
    title: `Healthcare: ${BRAND}`,
    description: "Assess, reassure and decide with a patient who answers back. Try the emergency room now.",
    page: HealthcarePage,
    demo: true,
  },
  {
    path: "/industries/airlines",
    name: "Airlines",
    share: { paper: "sky", lines: ["Settle 14C before the", "whole cabin listens."], example: "cabin" },
    title: `Airlines: ${BRAND}`,
    description: "Settle a disruptive passenger before the cabin does. Try the scenario now.",
    page: AirlinesPage,
    demo: true,
  },
  {
    path: "/industries/corporate",
    name: "Corporate / Sales",
    share: { paper: "ledger", lines: ["Pitch to the CFO who", "has heard it all."], example: "boardroom" },
    title: `Corporate / Sales: ${BRAND}`,
    description: "Pitch an ERP migration to a CFO who has read the contract. Try the scenario now.",
    page: CorporatePage,
    demo: true,
  },
  {
    path: "/try/healthcare",
    name: "Emergency Room scenario",
    share: { paper: "rose", lines: ["Chest pain in the ER.", "Your first action?"], example: "emergency" },
    title: `Emergency Room scenario: ${BRAND}`,
    description: "The chest pain scenario on a page of its own: eight turns with the patient, then a scored report.",
    page: TryHealthcarePage,
    demo: true,
    bare: true,
  },
  {
    path: "/privacy",
    name: "Privacy & Security",
    share: { paper: "ledger", lines: ["What you type", "stays yours."], example: "boardroom" },
    title: `Privacy & Security: ${BRAND}`,
    description: "How we protect what you type and who you are.",
    page: PrivacyPage,
  },
  {
    path: "/privacy/data",
    name: "Your data",
    share: { paper: "ledger", lines: ["What you type", "stays yours."], example: "boardroom" },
    title: `Your data: ${BRAND}`,
    description: "See what we keep about you, and delete it.",
    page: OwnDataPage,
    unlisted: true,
  },
  {
    path: "/partners",
    name: "Partner With Us",
    share: { paper: "sky", lines: ["Bring what you know.", "We bring the rest."], example: "cabin" },
    title: `Partner With Us: ${BRAND}`,
    description: "Content, hardware and institutional partners.",
    page: PartnersPage,
  },
  {
    path: "/contact",
    name: "Contact",
    share: { paper: "ledger", lines: ["Tell us what", "you train."], example: "boardroom" },
    title: `Contact: ${BRAND}`,
    description: "Write to us. We answer within 24 hours.",
    page: ContactPage,
  },
  {
    path: "404",
    name: "Page not found",
    share: { paper: "rose", lines: ["Oops!", "Page not found"], example: "emergency" },
    title: `Page not found: ${BRAND}`,
    description: "There is no page at this address.",
    page: NotFoundPage,
    unlisted: true,
  },
];

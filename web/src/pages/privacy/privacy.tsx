import { ArrowRight } from "lucide-react";
import { CONTACT_EMAIL, RETENTION_DAYS } from "../../content/company";

interface Claim {
  id: string;
  title: string;
  claim: string;
  how: readonly string[];
}

/** What we promise, in the words of the promise, and what is done for it. */
const CLAIMS: readonly Claim[] = [
  {
    id: "encryption",
    title: "Encryption",
    claim: "Encryption in transit and at rest.",
    how: [
      "What is typed, what is reported and who it belongs to is sealed before it is stored: AES-256-GCM, each field bound to its own row.",
      "Each day’s data has a key of its own. The keys lie outside of the database and its backups, and are destroyed when the day is past its age: older backups become unreadable, too.",
      "Pages tell browsers to use encrypted connections only, wherever the site is served over HTTPS.",
    ],
  },
  {
    id: "hosting",
    title: "Dual-region hosting",
    claim: "Dual-region hosting with data sovereignty.",
    how: [
      "The product is one program with its data beside it: it runs in the region, and on the machines, that you choose.",
      "Its owner names the region of every part. With a list of allowed regions it refuses to start outside of them.",
    ],
  },
  {
    id: "access",
    title: "Access controls",
    claim: "Role-based access control with audit logs.",
    how: [
      "Visitors can’t read back any session, their own included: a report is shown to the one who earned it, for a day.",
      "Only administrators see what was said. Viewers see scores without a person. A role is looked up on every request: taken away, it is gone at once.",
      "Every look at personal data, every change and every export leaves an entry in a log whose entries are chained: what is changed, removed or added shows.",
      "The log of the server holds no names, addresses or messages.",
    ],
  },
  {
    id: "retention",
    title: "Retention",
    claim: "90-day default retention for demo sessions.",
    how: [
      `On this site demo sessions are deleted ${RETENTION_DAYS} days after they started: conversation, report, address and everything else that belongs to them.`,
      "It happens by itself, every hour, and catches up after an interruption.",
    ],
  },
  {
    id: "sharing",
    title: "No selling, no sharing",
    claim: "No selling or sharing of customer data.",
    how: [
      "These pages load nothing from anybody else: no trackers, no fonts, no cookies.",
      "What the site keeps in your browser is the run that you are playing, the scores of the one before, and a message to us that you have begun: all of it is gone with the tab.",
    ],
  },
];

const ROADMAP = [
  {
    title: "In the product now",
    text: "Field-level encryption with keys that are destroyed, retention that runs, a chained audit log, roles checked on every request, export and erasure by the person concerned.",
  },
  {
    title: "Measured on this page",
    text: "A status beside each promise, taken from what runs. What is not configured here says so.",
  },
  { title: "Next", text: "Independent review. We name a certificate when we hold it, not before." },
] as const;

export function PrivacyPage() {
  return (
    <main id="main">
      <section className="band band-hero">
        <div className="wrap">
          <h1 tabIndex={-1}>Privacy &amp; Security</h1>
          <p className="lead">
            People rehearse what they find hard. What they say while they learn is nobody else’s business. Here is what
            we promise, and how it is kept.
          </p>
          <ul className="band-jumps">
            {[...CLAIMS, { id: "your-data", title: "Your data" }].map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </div>
      </section>
      <div className="wrap claims">
        {CLAIMS.map((claim) => (
          <section key={claim.id} id={claim.id} className="claim" aria-labelledby={`${claim.id}-title`}>
            <h2 id={`${claim.id}-title`}>{claim.title}</h2>
            <div>
              <p className="claim-words">{claim.claim}</p>
              <ul data-reads-on={claim === CLAIMS[0] ? undefined : ""}>
                {claim.how.map((sentence) => (
                  <li key={sentence}>{sentence}</li>
                ))}
              </ul>
              <ClaimStatus id={claim.id} />
            </div>
          </section>
        ))}
        <section id="uptime" className="claim" aria-labelledby="uptime-title">
          <h2 id="uptime-title">Uptime</h2>
          <div>
            <p className="claim-words">99.9% uptime.</p>
            <ul data-reads-on="">
              <li>
                That leaves less than nine hours in a year. Scenarios run without any outside service that could be
                down.
              </li>
              <li>
                Each minute in which this site was ready is counted. Beside this promise stands what was measured.
              </li>
            </ul>
            <ClaimStatus id="uptime" />
          </div>
        </section>
        <section id="roadmap" className="claim" aria-labelledby="roadmap-title">
          <h2 id="roadmap-title">Compliance roadmap</h2>
          <ol className="roadmap">
            {ROADMAP.map(({ title, text }) => (
              <li key={title}>
                <b>{title}</b>
                <p>{text}</p>
              </li>
            ))}
          </ol>
        </section>
        <section id="your-data" className="claim" aria-labelledby="your-data-title">
          <h2 id="your-data-title">Your data</h2>
          <div>
            <p className="claim-words">See what we keep about you, and delete it, without asking anybody.</p>
            <p className="data-how">
              We mail a link to your address. Whoever reads its mail can download everything about it and delete it, at
              once.
            </p>
            <form className="data-request" data-island="data-request" noValidate method="post" aria-label="Your data">
              <div className="field">
                <label htmlFor="data-email">Email</label>
                <input
                  id="data-email"
                  name="email"
                  type="email"
                  inputMode="email"
                  autoComplete="email"
                  required
                  maxLength={254}
                  aria-describedby="data-email-problem"
                />
                <p className="field-problem" id="data-email-problem" data-problem="email" hidden />
              </div>
              <button type="submit" className="btn btn-outline btn-lg">
                Send me the link
              </button>
              <p className="contact-sent" role="status" data-sent="" />
            </form>
            <noscript>
              <p>
                This form needs JavaScript. Please write to <a href={`mailto:${CONTACT_EMAIL}`}>{CONTACT_EMAIL}</a>{" "}
                instead.
              </p>
            </noscript>
          </div>
        </section>
      </div>
      <section className="closing">
        <div className="wrap closing-in">
          <div>
            <h2>Questions?</h2>
            <p className="lead closing-lead">
              A person answers, within 24 hours. Or write to <a href={`mailto:${CONTACT_EMAIL}`}>{CONTACT_EMAIL}</a>.
            </p>
          </div>
          <a className="btn btn-primary btn-lg" href="/contact?reason=privacy">
            Contact us about privacy <ArrowRight size={18} strokeWidth={1.75} />
          </a>
        </div>
      </section>
    </main>
  );
}

/** Where the measured state of a claim appears. `privacy/status.ts` fills it. */
function ClaimStatus({ id }: { id: string }) {
  return <div className="claim-status" data-claim={id} hidden />;
}

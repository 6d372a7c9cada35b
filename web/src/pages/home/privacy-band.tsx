import { ArrowRight, Ban, LockKeyhole, MapPinned, UserRoundCheck } from "lucide-react";
import { RETENTION_DAYS } from "../../content/company";

const CLAIMS = [
  {
    icon: LockKeyhole,
    title: "Encrypted in transit and at rest",
    text: "On the wire and on the disk, for every session and every report.",
  },
  { icon: MapPinned, title: "Hosted where you need it", text: "Dual-region hosting with data sovereignty." },
  { icon: UserRoundCheck, title: "Seen by the right people", text: "Role-based access control with audit logs." },
  {
    icon: Ban,
    title: "Never sold, never shared",
    text: "Customer data is not a product. No selling or sharing of customer data.",
  },
] as const;

/** Lengths of the words that are struck out around the one sentence that may be read. */
const BEFORE = [2, 4, 4, 3, 4, 2, 3, 2, 4, 2, 2, 5, 3, 5, 3, 4, 2, 4];
const AFTER = [2, 2, 3, 4, 2, 5, 4, 3, 2, 3, 4, 2, 3, 6, 2, 3, 4, 3, 3, 5];

export function PrivacyBand() {
  return (
    <section className="band" aria-labelledby="privacy">
      <div className="wrap band-in">
        <div>
          <h2 id="privacy">Privacy &amp; Data Security</h2>
          <p className="redacted">
            <Struck lengths={BEFORE} />
            <span>Demo sessions are deleted after {RETENTION_DAYS} days.</span> <Struck lengths={AFTER} />
          </p>
          <a className="btn btn-band btn-lg" href="/privacy">
            Learn More About Our Security <ArrowRight size={18} strokeWidth={1.75} />
          </a>
        </div>
        <ul className="band-claims">
          {CLAIMS.map(({ icon: Icon, title, text }) => (
            <li key={title}>
              <Icon size={22} strokeWidth={1.75} />
              <h3>{title}</h3>
              <p>{text}</p>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}

function Struck({ lengths }: { lengths: readonly number[] }) {
  return lengths.map((length, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: bars without an identity
    <span key={i} aria-hidden="true">
      <i className={`struck struck-${length}`} />{" "}
    </span>
  ));
}

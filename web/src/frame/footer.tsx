import { BRAND, COMPANY_LINKS, DEMO_LINKS, PLATFORM_LINKS, TAGLINE, YEAR } from "../content/company";
import { Logo } from "./logo";

export function Footer() {
  return (
    <footer className="site-footer">
      <div className="wrap">
        <p className="site-tagline">
          <span>{TAGLINE[0]}</span> <span>{TAGLINE[1]}</span>
        </p>
        <div className="site-columns">
          <div className="site-about">
            <Logo />
            <p>Conversations and skills, rehearsed with AI virtual humans, VR, AR and connected equipment.</p>
          </div>
          <Column title="Product" links={PLATFORM_LINKS} />
          <Column title="Company" links={COMPANY_LINKS} />
          <Column title="Try Now" links={DEMO_LINKS} />
        </div>
        <p className="site-end">
          <span>
            © {YEAR} {BRAND}. All rights reserved.
          </span>
          {COMPANY_FACTS.map((fact) => (
            <Fact key={fact} of={fact} />
          ))}
        </p>
      </div>
    </footer>
  );
}

/** What the owner's file says of the company; nothing where it says nothing. */
const COMPANY_FACTS = ["LegalName", "Address", "Registration", "Phone"];

function Fact({ of }: { of: string }) {
  return (
    <>
      {`{%with .Company.${of}%}`}
      <span>{"{%.%}"}</span>
      {"{%end%}"}
    </>
  );
}

interface ColumnProps {
  title: string;
  links: readonly { label: string; href: string; paper?: string }[];
}

function Column({ title, links }: ColumnProps) {
  return (
    <div>
      <h2>{title}</h2>
      <ul>
        {links.map((link) => (
          <li key={link.label}>
            <a href={link.href}>
              {link.paper && <i className={`swatch paper-${link.paper}`} />}
              {link.label}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

import { ChevronDown, Menu } from "lucide-react";
import { BOOK_DEMO, COMPANY_LINKS, INDUSTRY_LINKS, PLATFORM_LINKS } from "../content/company";
import { Logo } from "./logo";
import { TryButton } from "./try-button";

interface Link {
  label: string;
  href: string;
}

/** The header of every public page. On small screens a menu holds the same entries. */
export function Header({ path }: { path: string }) {
  return (
    <header className="site-header">
      <div className="wrap site-bar">
        <Logo />
        <nav className="site-nav" aria-label="Main">
          <Dropdown label="Platform" links={PLATFORM_LINKS} current={path === "/platform"} />
          <Dropdown label="Industries" links={INDUSTRY_LINKS} path={path} current={path.startsWith("/industries/")} />
          {COMPANY_LINKS.map((link) => (
            <NavLink key={link.href} {...link} path={path} />
          ))}
        </nav>
        <div className="site-actions">
          <Actions />
        </div>
        <details className="site-menu" data-menu="">
          <summary className="btn btn-icon btn-outline" aria-label="Menu">
            <Menu size={22} strokeWidth={1.75} />
          </summary>
          <nav className="site-sheet" aria-label="Menu">
            <Group title="Platform" links={PLATFORM_LINKS} path={path} />
            <Group title="Industries" links={INDUSTRY_LINKS} path={path} />
            <Group title="Company" links={COMPANY_LINKS} path={path} />
            <div className="site-sheet-actions">
              <Actions />
            </div>
          </nav>
        </details>
      </div>
    </header>
  );
}

function Actions() {
  return (
    <>
      <TryButton className="btn btn-ghost">Try Demo</TryButton>
      <a className="btn btn-primary" href={BOOK_DEMO}>
        Book Demo
      </a>
    </>
  );
}

interface DropdownProps {
  label: string;
  links: readonly Link[];
  current: boolean;
  path?: string;
}

function Dropdown({ label, links, current, path = "" }: DropdownProps) {
  return (
    <details className="site-dropdown" data-menu="">
      <summary className={current ? "site-link is-current" : "site-link"}>
        {label} <ChevronDown size={15} strokeWidth={1.75} />
      </summary>
      <ul>
        {links.map((link) => (
          <li key={link.href}>
            <NavLink {...link} path={path} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Group({ title, links, path }: { title: string; links: readonly Link[]; path: string }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {links.map((link) => (
          <li key={link.href}>
            <NavLink {...link} path={path} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function NavLink({ label, href, path }: Link & { path: string }) {
  const current = href === path;
  return (
    <a
      className={current ? "site-link is-current" : "site-link"}
      href={href}
      aria-current={current ? "page" : undefined}
    >
      {label}
    </a>
  );
}

import { LogOut, UserRound } from "lucide-react";
import { useSyncExternalStore } from "react";
import { Link, Navigate, NavLink, Outlet, useNavigate } from "react-router";
import { Mark } from "../../drawing/mark";
import { toast } from "../../ui/toast";
import { messageOf } from "../client";
import { useConsole, useIsAdmin } from "../context";
import { Offline } from "./offline";
import { Empty, Loading } from "./states";

const TABS = [
  { to: "/admin", label: "Dashboard", end: true },
  { to: "/admin/scenarios", label: "Scenarios" },
  { to: "/admin/sessions", label: "Sessions" },
  { to: "/admin/media-gallery", label: "Media Gallery" },
  { to: "/admin/contact", label: "Contact", adminsOnly: true },
  { to: "/admin/people", label: "Personal data", adminsOnly: true },
  { to: "/admin/integrations", label: "Integrations", adminsOnly: true },
  { to: "/admin/audit", label: "Audit log", adminsOnly: true },
  { to: "/admin/health", label: "Health", adminsOnly: true },
];

/** Shows the console to those with a role, and the way to sign in to everybody else. */
export function Guard() {
  const { watch } = useConsole();
  const access = useSyncExternalStore(watch.subscribe, watch.current);
  switch (access.state) {
    case "loading":
      return <Loading />;
    case "second-factor":
    case "none":
      return <Navigate to="/admin/login" replace />;
    case "viewer":
    case "admin":
      return (
        <>
          <Top email={access.email} />
          <Offline />
          <main id="main" className="a-main a-wrap">
            {access.state === "viewer" && (
              <p className="a-notice">
                You are a viewer: you see scores and times, nothing personal, and can't change anything.
              </p>
            )}
            <Outlet />
          </main>
        </>
      );
  }
}

/** Pages that a viewer has no use for. */
export function AdminsOnly() {
  return useIsAdmin() ? <Outlet /> : <Empty>Only admins see this page.</Empty>;
}

/** Brings the tab of the page that opens into the row's visible part, where the row is too long for the screen. */
function show(label: HTMLElement | null) {
  const tab = label?.parentElement?.getBoundingClientRect();
  const row = label?.closest("nav");
  const seen = row?.getBoundingClientRect();
  if (tab && row && seen && (tab.left < seen.left || tab.right > seen.right)) {
    row.scrollLeft += (tab.left + tab.right - seen.left - seen.right) / 2;
  }
}

function Top({ email }: { email: string }) {
  const { client } = useConsole();
  const isAdmin = useIsAdmin();
  const navigate = useNavigate();

  async function logout() {
    const { error } = await client.auth.signOut();
    if (error) {
      toast({ title: "Error", text: messageOf(error), destructive: true });
      return;
    }
    toast({ title: "Logged Out", text: "You are signed out." });
    navigate("/admin/login", { replace: true });
  }

  return (
    <header className="a-top">
      <div className="a-wrap">
        <a className="logo" href="/" aria-label="The public site">
          <Mark />
          <span>{document.documentElement.dataset.brand}</span>
        </a>
        <nav className="a-tabs" aria-label="Console">
          {TABS.filter((tab) => isAdmin || !tab.adminsOnly).map(({ to, label, end }) => (
            <NavLink key={to} to={to} end={end ?? false}>
              {({ isActive }) => <span ref={isActive ? show : undefined}>{label}</span>}
            </NavLink>
          ))}
        </nav>
        <div className="a-user">
          <Link to="/admin/account" aria-label={`Your account, ${email}`}>
            <UserRound size={16} strokeWidth={1.75} aria-hidden="true" />
            <span>{email}</span>
          </Link>
          <button type="button" className="btn btn-outline" onClick={() => void logout()}>
            <LogOut size={16} strokeWidth={1.75} /> Logout
          </button>
        </div>
      </div>
    </header>
  );
}

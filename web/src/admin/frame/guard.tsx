import { LogOut } from "lucide-react";
import { useSyncExternalStore } from "react";
import { Navigate, NavLink, Outlet, useNavigate } from "react-router";
import { Mark } from "../../drawing/mark";
import { toast } from "../../ui/toast";
import { messageOf } from "../client";
import { useConsole } from "../context";
import { Offline } from "./offline";
import { Loading } from "./states";

const TABS = [
  { to: "/admin", label: "Dashboard", end: true },
  { to: "/admin/scenarios", label: "Scenarios" },
  { to: "/admin/sessions", label: "Sessions" },
  { to: "/admin/media-gallery", label: "Media Gallery" },
  { to: "/admin/contact", label: "Contact" },
  { to: "/admin/people", label: "Personal data" },
];

/** Shows the console to admins, and the way to sign in to everybody else. */
export function Guard() {
  const { watch } = useConsole();
  const access = useSyncExternalStore(watch.subscribe, watch.current);
  switch (access.state) {
    case "loading":
      return <Loading />;
    case "none":
      return <Navigate to="/admin/login" replace />;
    case "admin":
      return (
        <>
          <Top email={access.email} />
          <Offline />
          <main id="main" className="a-main a-wrap">
            <Outlet />
          </main>
        </>
      );
  }
}

function Top({ email }: { email: string }) {
  const { client } = useConsole();
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
          {TABS.map(({ to, label, end }) => (
            <NavLink key={to} to={to} end={end ?? false}>
              {label}
            </NavLink>
          ))}
        </nav>
        <div className="a-user">
          <span>{email}</span>
          <button type="button" className="btn btn-outline" onClick={() => void logout()}>
            <LogOut size={16} strokeWidth={1.75} /> Logout
          </button>
        </div>
      </div>
    </header>
  );
}

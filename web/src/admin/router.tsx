import { lazy, Suspense } from "react";
import { createBrowserRouter } from "react-router";
import { AccountPage } from "./account/account";
import { AuditPage } from "./audit/audit";
import { ContactPage } from "./contact/contact";
import { DashboardPage } from "./dashboard/dashboard";
import { AdminsOnly, Guard } from "./frame/guard";
import { Loading } from "./frame/states";
import { HealthPage } from "./health/health";
import { IntegrationsPage } from "./integrations/integrations";
import { LoginPage } from "./login/login";
import { MediaPage } from "./media/media";
import { PeoplePage } from "./people/people";
import { ScenariosPage } from "./scenarios/list";
import { SessionPage } from "./sessions/detail";
import { SessionsPage } from "./sessions/list";

// The editor is large: only those who write a scenario load it.
const ScenarioForm = lazy(() => import("./scenarios/form"));

const form = (
  <Suspense fallback={<Loading />}>
    <ScenarioForm />
  </Suspense>
);

export const router = createBrowserRouter([
  { path: "/admin/login", element: <LoginPage /> },
  {
    path: "/admin",
    element: <Guard />,
    children: [
      { index: true, element: <DashboardPage /> },
      { path: "scenarios", element: <ScenariosPage /> },
      { path: "sessions", element: <SessionsPage /> },
      { path: "sessions/:id", element: <SessionPage /> },
      { path: "media-gallery", element: <MediaPage /> },
      { path: "account", element: <AccountPage /> },
      {
        element: <AdminsOnly />,
        children: [
          { path: "scenarios/new", element: form },
          { path: "scenarios/:id/edit", element: form },
          { path: "contact", element: <ContactPage /> },
          { path: "people", element: <PeoplePage /> },
          { path: "audit", element: <AuditPage /> },
          { path: "health", element: <HealthPage /> },
          { path: "integrations", element: <IntegrationsPage /> },
        ],
      },
    ],
  },
]);

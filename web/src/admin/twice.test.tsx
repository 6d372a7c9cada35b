import type { SupabaseClient } from "@supabase/supabase-js";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { MemoryRouter } from "react-router";
import { afterEach, expect, test } from "vitest";
import type { AdminWatch } from "./admin-watch";
import { AuditPage } from "./audit/audit";
import { ContactPage } from "./contact/contact";
import { ConsoleContext } from "./context";
import { HookForm } from "./integrations/hook-form";
import { PeoplePage } from "./people/people";

afterEach(cleanup);

const AUDIT = { entries: [], next: null, actions: [], people: [], verified: null };
const MESSAGE = {
  id: "1",
  received_at: "2026-11-21T12:00:00Z",
  reason: "demo",
  name: "Ada",
  email: "ada@hospital.example",
  organization: "",
  message: "Hello",
  suspicious: false,
  answered_at: null,
};

/** Shows a page whose server answers at once to what it shows, and never to the rest. */
function show(page: ReactNode): string[] {
  const asked: string[] = [];
  const answers: Record<string, unknown> = {
    "admin-get-audit": AUDIT,
    "admin-get-contact-messages": { messages: [MESSAGE] },
  };
  const client = {
    functions: {
      invoke: async (name: string) => {
        asked.push(name);
        return name in answers ? { data: answers[name], error: null } : new Promise(() => undefined);
      },
    },
  };
  const watch = { subscribe: () => () => undefined, current: () => ({ state: "admin", email: "" }) };
  render(
    <ConsoleContext value={{ client: client as unknown as SupabaseClient, watch: watch as unknown as AdminWatch }}>
      <QueryClientProvider client={new QueryClient()}>
        <MemoryRouter>{page}</MemoryRouter>
      </QueryClientProvider>
    </ConsoleContext>,
  );
  return asked;
}

const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });

/** Each of these leaves something behind at the server: a webhook, or an entry in the audit log. */
test.each([
  [
    "admin-create-hook",
    "Create webhook",
    <HookForm key="" onCreated={() => undefined} />,
    ["Address", "https://crm.example/in"],
  ],
  ["admin-export-person", "Find", <PeoplePage key="" />, ["Email", "ada@hospital.example"]],
  ["admin-export-audit", "Export as CSV", <AuditPage key="" />, undefined],
  ["admin-export-contact-messages", "Export as CSV", <ContactPage key="" />, undefined],
])("%s is not sent again while it is under way", async (call, name, page, typed) => {
  const asked = show(page);
  if (typed) {
    type(typed[0] ?? "", typed[1] ?? "");
  }
  const button = await screen.findByRole("button", { name });
  const sent = () => asked.filter((one) => one === call);
  fireEvent.click(button);
  await waitFor(() => expect(sent()).toHaveLength(1));
  await waitFor(() => expect(button.getAttribute("aria-disabled")).toBe("true"));
  fireEvent.click(button);
  await new Promise((done) => setTimeout(done, 20));
  expect(sent()).toHaveLength(1);
});

import type { SupabaseClient } from "@supabase/supabase-js";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";
import type { AdminWatch } from "../admin-watch";
import { ConsoleContext } from "../context";
import { PeoplePage } from "./people";

const PERSON = {
  email: "ada@hospital.example",
  sessions: [],
  contact_messages: [{ id: "1", received_at: "2026-11-21T12:00:00Z" }],
  letters: [],
};

test("with a person goes what other pages had loaded about them", async () => {
  const answers: Record<string, unknown> = {
    "admin-export-person": PERSON,
    "admin-erase-person": { sessions: 0, contactMessages: 1, letters: 0 },
  };
  const client = { functions: { invoke: async (name: string) => ({ data: answers[name], error: null }) } };
  const queries = new QueryClient();
  queries.setQueryData(["contact"], { messages: [{ email: PERSON.email }] });
  render(
    <ConsoleContext value={{ client: client as unknown as SupabaseClient, watch: {} as AdminWatch }}>
      <QueryClientProvider client={queries}>
        <MemoryRouter>
          <PeoplePage />
        </MemoryRouter>
      </QueryClientProvider>
    </ConsoleContext>,
  );
  fireEvent.change(screen.getByLabelText("Email"), { target: { value: PERSON.email } });
  fireEvent.click(screen.getByRole("button", { name: "Find" }));
  fireEvent.click(await screen.findByRole("button", { name: "Erase everything" }));
  fireEvent.click(await screen.findByRole("button", { name: "Erase" }));
  await screen.findByText("Erased");
  await waitFor(() => expect(screen.queryByText(PERSON.email)).toBeNull());
  expect(queries.getQueryData(["contact"])).toBeUndefined();
});

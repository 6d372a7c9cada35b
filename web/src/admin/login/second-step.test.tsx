import type { SupabaseClient } from "@supabase/supabase-js";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import type { AdminWatch } from "../admin-watch";
import { ConsoleContext } from "../context";
import { SecondStep } from "./second-step";

test("the code is what is typed next", async () => {
  const factors = { data: { totp: [{ id: "1" }] }, error: null };
  const client = { auth: { mfa: { listFactors: async () => factors } } };
  render(
    <ConsoleContext value={{ client: client as unknown as SupabaseClient, watch: {} as AdminWatch }}>
      <QueryClientProvider client={new QueryClient()}>
        <SecondStep onSetUp={() => undefined} />
      </QueryClientProvider>
    </ConsoleContext>,
  );
  const code = await screen.findByLabelText("Code");
  await waitFor(() => expect(document.activeElement).toBe(code));
});

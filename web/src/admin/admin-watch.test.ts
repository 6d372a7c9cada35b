import type { SupabaseClient } from "@supabase/supabase-js";
import { expect, test } from "vitest";
import { AdminWatch } from "./admin-watch";

type Answer = { data: unknown; error: unknown; status: number };

const yes: Answer = { data: true, error: null, status: 200 };
const no: Answer = { data: false, error: null, status: 200 };
const refused: Answer = { data: null, error: { code: "PGRST301" }, status: 401 };
const gone: Answer = { data: null, error: { message: "Failed to fetch" }, status: 0 };
const ill: Answer = { data: null, error: { code: "unavailable" }, status: 503 };

/** A sign-in that changes, and a server that answers what it is told to. */
function open() {
  let change: (event: string, session: unknown) => void = () => undefined;
  const roles: Record<string, Answer> = { admin: yes, viewer: no };
  const client = {
    auth: {
      onAuthStateChange: (told: typeof change) => {
        change = told;
      },
      getUser: async () => ({ data: { user: null } }),
    },
    rpc: async (_name: string, { _role }: { _role: string }) => roles[_role],
  };
  let forgotten = 0;
  const watch = new AdminWatch(client as unknown as SupabaseClient, () => forgotten++);
  return {
    roles,
    forgotten: () => forgotten,
    /** The state after a change of the sign-in. */
    as: async (id: string | undefined) => {
      change("", id && { user: { id, email: `${id}@simora.example` } });
      await new Promise((done) => setTimeout(done, 5));
      return watch.current().state;
    },
  };
}

test("a server that can't be asked does not throw out who was in", async () => {
  const { as, roles } = open();
  expect(await as("ada")).toBe("admin");
  for (const answer of [gone, ill, { ...ill, status: 429 }]) {
    roles.admin = answer;
    expect(await as("ada")).toBe("admin");
  }
  roles.admin = refused;
  roles.viewer = refused;
  expect(await as("ada")).toBe("none");
});

test("a server that can't be asked lets nobody in", async () => {
  const { as, roles } = open();
  roles.admin = gone;
  expect(await as("ada")).toBe("none");
  roles.admin = yes;
  expect(await as("ada")).toBe("admin");
  roles.admin = gone;
  expect(await as("mallory")).toBe("none");
});

test("what was loaded is forgotten with the one who loaded it", async () => {
  const { as, roles, forgotten } = open();
  await as("ada");
  await as("ada");
  expect(forgotten(), "the first look and a refreshed token forget nothing").toBe(0);
  await as(undefined);
  expect(forgotten()).toBe(1);
  await as("ada");
  await as("vera");
  expect(forgotten(), "somebody else in another tab").toBe(3);
  roles.admin = no;
  roles.viewer = yes;
  await as("vera");
  expect(forgotten(), "a lesser role").toBe(4);
});

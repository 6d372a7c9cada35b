import type { SupabaseClient } from "@supabase/supabase-js";

/** An admin may do everything; a viewer looks on, and the server leaves out what is personal. */
export type Role = "admin" | "viewer";

/**
 * Who looks at the console: not known yet, somebody with a role, one whose
 * second factor is missing, or nobody who may.
 */
export type Access =
  | { state: "loading" }
  | { state: Role; email: string }
  | { state: "second-factor" }
  | { state: "none" };

/**
 * Watches the sign-in. Any change of it asks the server again which role the
 * user holds.
 */
export class AdminWatch {
  #access: Access = { state: "loading" };
  #listeners = new Set<() => void>();
  #asked = 0;

  constructor(private readonly client: SupabaseClient) {
    client.auth.onAuthStateChange((_event, session) => {
      // Not inside the callback: the client holds its lock there.
      setTimeout(() => void this.#check(session?.user?.id, session?.user?.email ?? ""));
    });
  }

  readonly current = () => this.#access;

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  async #check(userId: string | undefined, email: string): Promise<void> {
    const asked = ++this.#asked;
    const role = userId === undefined ? undefined : await roleOf(this.client, userId);
    const half = userId !== undefined && role === undefined && (await needsSecondFactor(this.client));
    if (asked === this.#asked) {
      this.#access = role ? { state: role, email } : { state: half ? "second-factor" : "none" };
      for (const listener of this.#listeners) {
        listener();
      }
    }
  }
}

/** The role that the user holds now. A server that can't be asked counts as none. */
export async function roleOf(client: SupabaseClient, userId: string): Promise<Role | undefined> {
  for (const role of ["admin", "viewer"] as const) {
    const { data } = await client.rpc("has_role", { _user_id: userId, _role: role });
    if (data === true) {
      return role;
    }
  }
  return undefined;
}

/** Whether the user may do nothing before their second factor. */
async function needsSecondFactor(client: SupabaseClient): Promise<boolean> {
  const { data } = await client.auth.getUser();
  return data.user?.app_metadata.needs_second_factor === true;
}

import type { SupabaseClient } from "@supabase/supabase-js";

/**
 * Who looks at the console: not known yet, an admin, one whose second factor is
 * missing, or nobody who may.
 */
export type Access =
  | { state: "loading" }
  | { state: "admin"; email: string }
  | { state: "second-factor" }
  | { state: "none" };

/**
 * Watches the sign-in. Any change of it asks the server again whether the user
 * holds the admin role.
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
    const admin = userId !== undefined && (await isAdmin(this.client, userId));
    const half = userId !== undefined && !admin && (await needsSecondFactor(this.client));
    if (asked === this.#asked) {
      this.#access = admin ? { state: "admin", email } : { state: half ? "second-factor" : "none" };
      for (const listener of this.#listeners) {
        listener();
      }
    }
  }
}

/** Whether the user holds the admin role now. A server that can't be asked counts as no. */
export async function isAdmin(client: SupabaseClient, userId: string): Promise<boolean> {
  const { data } = await client.rpc("has_role", { _user_id: userId, _role: "admin" });
  return data === true;
}

/** Whether the user may do nothing before their second factor. */
async function needsSecondFactor(client: SupabaseClient): Promise<boolean> {
  const { data } = await client.auth.getUser();
  return data.user?.app_metadata.needs_second_factor === true;
}

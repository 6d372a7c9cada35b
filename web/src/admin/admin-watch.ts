import type { SupabaseClient } from "@supabase/supabase-js";
import { ConsoleError } from "./client";

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
  #userId: string | undefined;
  #listeners = new Set<() => void>();
  #asked = 0;

  /** What was loaded is forgotten when somebody else looks, or with another role: they may see less. */
  constructor(
    private readonly client: SupabaseClient,
    private readonly forget: () => void,
  ) {
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
    const access = await this.#ask(userId, email);
    if (asked !== this.#asked) {
      return;
    }
    if (this.#access.state !== "loading" && (access.state !== this.#access.state || userId !== this.#userId)) {
      this.forget();
    }
    this.#access = access;
    this.#userId = userId;
    for (const listener of this.#listeners) {
      listener();
    }
  }

  async #ask(userId: string | undefined, email: string): Promise<Access> {
    if (userId === undefined) {
      return { state: "none" };
    }
    try {
      const role = await roleOf(this.client, userId);
      if (role) {
        return { state: role, email };
      }
      return { state: (await needsSecondFactor(this.client)) ? "second-factor" : "none" };
    } catch {
      // Nobody knows. Who was in stays in: the server decides about every call.
      return userId === this.#userId ? this.#access : { state: "none" };
    }
  }
}

/** The role that the user holds now. Rejects when the server can't be asked. */
export async function roleOf(client: SupabaseClient, userId: string): Promise<Role | undefined> {
  for (const role of ["admin", "viewer"] as const) {
    const { data, error, status } = await client.rpc("has_role", { _user_id: userId, _role: role });
    if (error && (status < 400 || status === 429 || status >= 500)) {
      throw new ConsoleError("The server can't be reached. Please try again.");
    }
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

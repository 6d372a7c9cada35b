import type { SupabaseClient } from "@supabase/supabase-js";
import { createContext, useContext, useSyncExternalStore } from "react";
import type { AdminWatch } from "./admin-watch";

/** What every page of the console works with. */
export interface Console {
  client: SupabaseClient;
  watch: AdminWatch;
}

export const ConsoleContext = createContext<Console | undefined>(undefined);

export function useConsole(): Console {
  const console = useContext(ConsoleContext);
  if (!console) {
    throw new Error("outside of the console");
  }
  return console;
}

/** Whether who looks at this may change things and see what is personal. The server decides it; pages only hide what it would refuse. */
export function useIsAdmin(): boolean {
  const { watch } = useConsole();
  return useSyncExternalStore(watch.subscribe, watch.current).state === "admin";
}

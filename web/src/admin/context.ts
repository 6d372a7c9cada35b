import type { SupabaseClient } from "@supabase/supabase-js";
import { createContext, useContext } from "react";
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

import { useQuery } from "@tanstack/react-query";
import { invoke } from "../client";
import { useConsole } from "../context";
import { Account } from "../shapes";

/** What the account page shows beside the user. */
export function useAccount() {
  const { client } = useConsole();
  return useQuery({ queryKey: ["account"], queryFn: () => invoke(client, "admin-get-account", Account) });
}

/** Said to those whom the identity provider alone signs in. */
export const SIGN_IN_AGAIN =
  "This takes a sign-in of the last five minutes. Log out and sign in again if yours is older.";

import { useEffect } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { toast } from "../../ui/toast";
import { useConsole } from "../context";

const PROBLEM: Record<string, string> = {
  "not-allowed": "Your account is not among those who may sign in here.",
  "last-admin":
    "Your identity provider says that you are a viewer now, but you are the only admin here. Make another one first.",
  "no-account": "Nobody here has your verified email address. Ask an admin to create your account.",
  expired: "That took too long, or was started in another browser. Please try again.",
  refused: "The identity provider did not sign you in.",
  provider: "The identity provider can't be reached, or its answer was not right. Please try again.",
};

/**
 * Says why coming back from the identity provider did not lead in. The stock
 * client itself exchanges the code that the address brings.
 */
export function useReturn(notIn: boolean): void {
  const { client } = useConsole();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const back = search.get("from") === "provider";
  const problem = search.get("problem");
  useEffect(() => {
    if (!back || !notIn) {
      return;
    }
    void (async () => {
      const { data } = await client.auth.getSession();
      if (data.session) {
        await client.auth.signOut({ scope: "local" });
        toast({ title: "Access Denied", text: "You do not have admin privileges", destructive: true });
      } else {
        toast({ title: "Login Failed", text: PROBLEM[problem ?? "expired"] ?? "Please try again.", destructive: true });
      }
      navigate("/admin/login", { replace: true });
    })();
  }, [back, notIn, problem, client, navigate]);
}

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "../../ui/toast";
import { invoke, messageOf } from "../client";
import { useConsole } from "../context";
import { longDate } from "../frame/format";
import { Failed, Loading } from "../frame/states";
import { Table } from "../frame/table";
import { Done } from "../shapes";
import { deviceName } from "./device-name";
import { useAccount } from "./use-account";

export function SignInsPanel() {
  const { client } = useConsole();
  const queries = useQueryClient();
  const { data, error, isPending, refetch } = useAccount();
  const ended = {
    onSuccess: () => queries.invalidateQueries({ queryKey: ["account"] }),
    onError: (problem: unknown) => toast({ title: "Error", text: messageOf(problem), destructive: true }),
  };
  const end = useMutation({
    mutationFn: (id: string) => invoke(client, "admin-end-sign-in", Done, { id }),
    ...ended,
  });
  const endOthers = useMutation({
    mutationFn: async () => {
      const answer = await client.auth.signOut({ scope: "others" });
      if (answer.error) {
        throw answer.error;
      }
    },
    ...ended,
  });

  return (
    <section className="a-panel a-flush" aria-labelledby="sign-ins-title">
      <div className="a-panel-head">
        <h2 id="sign-ins-title">Where you are signed in</h2>
        {data && data.sign_ins.length > 1 && (
          <button
            type="button"
            className="btn btn-outline"
            aria-disabled={endOthers.isPending}
            onClick={() => endOthers.mutate()}
          >
            Sign out everywhere else
          </button>
        )}
      </div>
      {isPending && <Loading />}
      {error && <Failed problem={error} again={() => void refetch()} />}
      {data && (
        <Table label="Sign-ins">
          <thead>
            <tr>
              <th>Device</th>
              <th>Address</th>
              <th>Signed in</th>
              <th>Last used</th>
              <th>
                <span className="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.sign_ins.map((signIn) => (
              <tr key={signIn.id}>
                <td className="whitespace-nowrap" title={signIn.user_agent}>
                  {deviceName(signIn.user_agent)}
                  <span className="a-under">
                    {signIn.method === "oauth" ? "Single sign-on" : "Password"}
                    {signIn.second_factor && " and second factor"}
                  </span>
                </td>
                <td>{signIn.address || <span className="a-quiet">Unknown</span>}</td>
                <td className="a-quiet whitespace-nowrap">{longDate(signIn.started_at)}</td>
                <td className="a-quiet whitespace-nowrap">{longDate(signIn.used_at)}</td>
                <td className="a-actions">
                  {signIn.this ? (
                    <span className="a-status a-status-done">This device</span>
                  ) : (
                    <button
                      type="button"
                      className="btn btn-outline"
                      aria-label={`Sign out ${deviceName(signIn.user_agent)}`}
                      aria-disabled={end.isPending}
                      onClick={() => end.mutate(signIn.id)}
                    >
                      Sign out
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
}

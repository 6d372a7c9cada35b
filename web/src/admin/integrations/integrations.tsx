import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { useState } from "react";
import { toast } from "../../ui/toast";
import { invoke } from "../client";
import { useConsole } from "../context";
import { Failed, Loading } from "../frame/states";
import { DeliveryLog } from "./delivery-log";
import { HookForm } from "./hook-form";
import { HookList } from "./hook-list";
import { Integrations, type NewHook } from "./shapes";

const NAMED: Record<string, string> = {
  pseudonym: "go under a pseudonym, another one for each run",
  mbox_sha1sum: "are named by the hash of their address, where they gave one",
  mbox: "are named by their address, where they gave one",
};
const SOON = 2000;
const NOW_AND_THEN = 15_000;

export function IntegrationsPage() {
  const { client } = useConsole();
  const queries = useQueryClient();
  const [made, setMade] = useState<NewHook>();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["integrations"],
    queryFn: () => invoke(client, "admin-get-integrations", Integrations),
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some((delivery) => delivery.state === "queued") ? SOON : NOW_AND_THEN,
  });
  return (
    <>
      <div className="a-head">
        <h1>Integrations</h1>
      </div>
      {isPending && <Loading />}
      {error && !data && <Failed problem={error} again={() => void refetch()} />}
      {data && (
        <>
          {made && <Secret made={made} onDone={() => setMade(undefined)} />}
          <div className="a-two a-even a-connect">
            <HookForm
              onCreated={(hook) => {
                setMade(hook);
                void queries.invalidateQueries({ queryKey: ["integrations"] });
              }}
            />
            <div className="a-column">
              <section className="a-panel" aria-label="Webhooks">
                <div className="a-panel-head">
                  <h2>Webhooks</h2>
                </div>
                <HookList hooks={data.hooks} />
              </section>
              <section className="a-panel" aria-label="Learning record store">
                <div className="a-panel-head">
                  <h2>Learning record store</h2>
                  <span className={data.records ? "a-status a-status-done" : "a-status"}>
                    {data.records ? "Configured" : "None"}
                  </span>
                </div>
                <p className="a-quiet a-wrapped">
                  {data.records
                    ? `Each finished run goes to ${data.records.endpoint} as xAPI statements. Learners ${NAMED[data.records.actor] ?? data.records.actor}.`
                    : "Set SIMORA_XAPI_ENDPOINT, SIMORA_XAPI_KEY and SIMORA_XAPI_SECRET to send each finished run as xAPI statements."}
                </p>
              </section>
            </div>
          </div>
          <section className="a-panel a-flush" aria-label="Delivery log">
            <div className="a-panel-head">
              <h2>Deliveries</h2>
              <p className="a-quiet">The newest hundred</p>
            </div>
            <DeliveryLog hooks={data.hooks} deliveries={data.deliveries} />
          </section>
        </>
      )}
    </>
  );
}

/** The secret of a new webhook, which cannot be seen again. */
function Secret({ made, onDone }: { made: NewHook; onDone: () => void }) {
  async function copy() {
    try {
      await navigator.clipboard.writeText(made.secret);
      toast({ title: "Copied", text: "Keep it where the receiver can read it." });
    } catch {
      toast({ title: "Not copied", text: "Select the secret and copy it by hand.", destructive: true });
    }
  }
  return (
    <section className="a-panel a-secret" role="status">
      <p>
        <b>The secret of {made.hook.url}.</b> The receiver checks signatures with it. It is shown this once.
      </p>
      <code>{made.secret}</code>
      <div className="row">
        <button type="button" className="btn btn-outline" onClick={() => void copy()}>
          <Copy size={16} strokeWidth={1.75} /> Copy
        </button>
        <button type="button" className="btn btn-outline" onClick={onDone}>
          I have kept it
        </button>
      </div>
    </section>
  );
}

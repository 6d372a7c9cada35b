import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { toast } from "../../ui/toast";
import { invoke, messageOf } from "../client";
import { useConsole } from "../context";
import { Confirm } from "../frame/confirm";
import { Empty } from "../frame/states";
import { Done } from "../shapes";
import { EVENT_NAME, type Hook } from "./shapes";

/** Webhooks, each with what can be done with it. */
export function HookList({ hooks }: { hooks: readonly Hook[] }) {
  const { client } = useConsole();
  const queries = useQueryClient();
  const [doomed, setDoomed] = useState<Hook>();
  const act = useMutation({
    mutationFn: ({ call, hook, enabled }: { call: string; hook: Hook; enabled?: boolean; done: string }) =>
      invoke(client, call, Done, { id: hook.id, enabled }),
    onSuccess: (_, { done, hook }) => {
      toast({ title: done, text: hook.url });
      setDoomed(undefined);
      return queries.invalidateQueries({ queryKey: ["integrations"] });
    },
    onError: (problem) => toast({ title: "Error", text: messageOf(problem), destructive: true }),
  });
  if (hooks.length === 0) {
    return <Empty>No webhook yet. Create one to tell another system what happens here.</Empty>;
  }
  return (
    <>
      <ul className="a-hooks">
        {hooks.map((hook) => (
          <li key={hook.id}>
            <div>
              <b>{hook.url}</b>
              <span className={hook.enabled ? "a-status a-status-done" : "a-status"}>
                {hook.enabled ? "On" : "Off"}
              </span>
            </div>
            <p className="a-quiet">
              {hook.events.map((event) => EVENT_NAME[event] ?? event).join(", ")}
              {hook.personal && " · with personal data"}
            </p>
            <div className="row">
              <button
                type="button"
                className="btn btn-outline"
                aria-label={`Send a test to ${hook.url}`}
                disabled={!hook.enabled || act.isPending}
                onClick={() => act.mutate({ call: "admin-test-hook", hook, done: "Test queued" })}
              >
                Send a test
              </button>
              <button
                type="button"
                className="btn btn-outline"
                aria-label={`Turn ${hook.enabled ? "off" : "on"} ${hook.url}`}
                disabled={act.isPending}
                onClick={() =>
                  act.mutate({
                    call: "admin-switch-hook",
                    hook,
                    enabled: !hook.enabled,
                    done: hook.enabled ? "Webhook is off" : "Webhook is on",
                  })
                }
              >
                {hook.enabled ? "Turn off" : "Turn on"}
              </button>
              <button
                type="button"
                className="btn btn-outline"
                aria-label={`Delete ${hook.url}`}
                onClick={() => setDoomed(hook)}
              >
                Delete
              </button>
            </div>
          </li>
        ))}
      </ul>
      {doomed && (
        <Confirm
          title="Delete this webhook?"
          text={`${doomed.url} is told nothing any more, and its deliveries leave the log.`}
          action="Delete webhook"
          busy={act.isPending}
          onConfirm={() => act.mutate({ call: "admin-delete-hook", hook: doomed, done: "Webhook deleted" })}
          onCancel={() => setDoomed(undefined)}
        />
      )}
    </>
  );
}

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { toast } from "../../ui/toast";
import { invoke, messageOf } from "../client";
import { useConsole } from "../context";
import { shortDate } from "../frame/format";
import { Empty } from "../frame/states";
import { Table } from "../frame/table";
import { Done } from "../shapes";
import { type Delivery, EVENT_NAME, type Integrations, RECORD_STORE } from "./shapes";

const STATE: Record<Delivery["state"], string> = { queued: "Waiting", delivered: "Delivered", failed: "Given up" };

/** What was told to whom, and what became of it. */
export function DeliveryLog({ hooks, deliveries }: Pick<Integrations, "hooks" | "deliveries">) {
  const { client } = useConsole();
  const queries = useQueryClient();
  const again = useMutation({
    mutationFn: (delivery: Delivery) => invoke(client, "admin-resend-delivery", Done, { id: delivery.id }),
    onSuccess: () => {
      toast({ title: "Queued once more", text: "It goes out under the same id." });
      return queries.invalidateQueries({ queryKey: ["integrations"] });
    },
    onError: (problem) => toast({ title: "Error", text: messageOf(problem), destructive: true }),
  });
  if (deliveries.length === 0) {
    return <Empty>Nothing was sent yet.</Empty>;
  }
  const target = (id: string) =>
    id === RECORD_STORE ? "Learning record store" : hostOf(hooks.find((hook) => hook.id === id)?.url ?? "");
  return (
    <Table label="Deliveries">
      <thead>
        <tr>
          <th>Time</th>
          <th>Event</th>
          <th>Status</th>
          <th className="a-num">Attempts</th>
          <th className="a-num">Answer</th>
          <th className="a-num">Duration</th>
          <th>
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => (
          <tr key={delivery.id}>
            <td className="a-quiet a-time">{shortDate(delivery.tried_at ?? delivery.created_at)}</td>
            <td>
              {EVENT_NAME[delivery.event] ?? delivery.event}
              <small className="a-under">{target(delivery.hook_id)}</small>
            </td>
            <td className="a-outcome">
              <span className={delivery.state === "delivered" ? "a-status a-status-done" : "a-status"}>
                {STATE[delivery.state]}
                {delivery.state === "queued" && delivery.attempts > 0 && ` until ${shortDate(delivery.due_at)}`}
              </span>
              {delivery.last_error && <small className="a-under">{delivery.last_error}</small>}
            </td>
            <td className="a-num">{delivery.attempts}</td>
            <td className="a-num">{delivery.status === 0 ? "–" : delivery.status}</td>
            <td className="a-num">{delivery.tried_at ? `${delivery.took_ms} ms` : "–"}</td>
            <td className="a-actions">
              <button
                type="button"
                className="btn btn-outline"
                aria-label={`Send again: ${EVENT_NAME[delivery.event] ?? delivery.event}, ${shortDate(delivery.created_at)}`}
                disabled={again.isPending}
                onClick={() => again.mutate(delivery)}
              >
                Send again
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

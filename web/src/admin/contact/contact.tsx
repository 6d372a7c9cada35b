import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { toast } from "../../ui/toast";
import { invoke, messageOf } from "../client";
import { useConsole } from "../context";
import { longDate } from "../frame/format";
import { save } from "../frame/save";
import { Empty, Failed, Loading } from "../frame/states";
import { type Contact, ContactList, Csv, Done } from "../shapes";

const REASON: Record<string, string> = {
  demo: "Demo",
  pricing: "Pricing",
  partnership: "Partnership",
  support: "Support",
  privacy: "Privacy & security",
  other: "Something else",
};

export function ContactPage() {
  const { client } = useConsole();
  const queries = useQueryClient();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["contact"],
    queryFn: () => invoke(client, "admin-get-contact-messages", ContactList),
  });
  const mark = useMutation({
    mutationFn: (message: Contact) =>
      invoke(client, "admin-mark-contact-message", Done, { id: message.id, answered: message.answered_at === null }),
    onSuccess: () => queries.invalidateQueries(),
    onError: (problem) => toast({ title: "Error", text: messageOf(problem), destructive: true }),
  });
  const exported = useMutation({
    mutationFn: () => invoke(client, "admin-export-contact-messages", Csv),
    onSuccess: ({ csv }) => save("contact-messages.csv", csv),
    onError: (problem) => toast({ title: "Error", text: messageOf(problem), destructive: true }),
  });
  const waiting = data?.messages.filter((message) => message.answered_at === null && !message.suspicious).length ?? 0;
  return (
    <>
      <div className="a-head">
        <h1>Contact messages</h1>
        {data && <p className="a-quiet">{waiting === 0 ? "Nobody is waiting" : `${waiting} waiting for an answer`}</p>}
        {data && data.messages.length > 0 && (
          <button
            type="button"
            className="btn btn-outline"
            aria-disabled={exported.isPending}
            onClick={() => exported.isPending || exported.mutate()}
          >
            <Download size={16} strokeWidth={1.75} /> {exported.isPending ? "Exporting…" : "Export as CSV"}
          </button>
        )}
      </div>
      {isPending && <Loading />}
      {error && <Failed problem={error} again={() => void refetch()} />}
      {data?.messages.length === 0 && (
        <section className="a-panel">
          <Empty>No message yet. What visitors write through the contact form appears here.</Empty>
        </section>
      )}
      <ul className="a-messages">
        {data?.messages.map((message) => (
          <li key={message.id} className="a-panel">
            <div className="a-panel-head">
              <h2>
                {message.name}
                {message.organization && `, ${message.organization}`}
              </h2>
              <span className={message.answered_at ? "a-status a-status-done" : "a-status"}>
                {message.answered_at
                  ? `Answered ${longDate(message.answered_at)}`
                  : message.suspicious
                    ? "Looks like a machine"
                    : "Waiting"}
              </span>
            </div>
            <p className="a-sub">
              <a href={`mailto:${message.email}`}>{message.email}</a>
              <span>{REASON[message.reason] ?? message.reason}</span>
              <span>{longDate(message.received_at)}</span>
            </p>
            <p className="a-message">{message.message}</p>
            <div className="row">
              <a
                className="btn btn-outline"
                href={`mailto:${message.email}?subject=${encodeURIComponent("Your message")}`}
              >
                Answer by mail
              </a>
              <button
                type="button"
                className="btn btn-outline"
                aria-disabled={mark.isPending}
                onClick={() => mark.mutate(message)}
              >
                {message.answered_at ? "Mark as waiting" : "Mark as answered"}
              </button>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

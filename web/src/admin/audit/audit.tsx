import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Download, ShieldCheck } from "lucide-react";
import { useSearchParams } from "react-router";
import { toast } from "../../ui/toast";
import { invoke, messageOf } from "../client";
import { useConsole } from "../context";
import { longDate } from "../frame/format";
import { save } from "../frame/save";
import { Empty, Failed, Loading } from "../frame/states";
import { AuditPage as AuditPageShape, AuditVerification, Csv } from "../shapes";
import { AuditTable } from "./table";
import { ACTOR_KINDS, actionName } from "./words";

/** What the address says is shown: a filtered log can be sent to a colleague. */
function filterOf(params: URLSearchParams) {
  const text = (name: string) => params.get(name) ?? "";
  return { action: text("action"), actor: text("actor"), from: text("from"), to: text("to") };
}

export function AuditPage() {
  const { client } = useConsole();
  const [params, setParams] = useSearchParams();
  const filter = filterOf(params);
  const before = Number(params.get("before") ?? 0);
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    queryKey: ["audit", filter, before],
    queryFn: () => invoke(client, "admin-get-audit", AuditPageShape, { ...filter, before }),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false, // each look at the log leaves an entry in it
  });
  const exported = useMutation({
    mutationFn: () => invoke(client, "admin-export-audit", Csv, filter),
    onSuccess: ({ csv }) => save("audit-log.csv", csv),
    onError: (problem) => toast({ title: "Error", text: messageOf(problem), destructive: true }),
  });

  function set(name: string, value: string) {
    const next = new URLSearchParams(params);
    next.delete("before");
    if (value === "") {
      next.delete(name);
    } else {
      next.set(name, value);
    }
    setParams(next, { replace: name !== "before" });
  }

  return (
    <>
      <div className="a-head">
        <h1>Audit log</h1>
        <button
          type="button"
          className="btn btn-outline"
          aria-disabled={exported.isPending}
          onClick={() => exported.isPending || exported.mutate()}
        >
          <Download size={16} strokeWidth={1.75} /> {exported.isPending ? "Exporting…" : "Export as CSV"}
        </button>
      </div>
      {data && <Verification last={data.verified} />}
      <search className="a-filters a-filters-few">
        <label>
          Action
          <select value={filter.action} onChange={(event) => set("action", event.target.value)}>
            <option value="">All</option>
            {data?.actions.map((action) => (
              <option key={action} value={action}>
                {actionName(action)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Who
          <select value={filter.actor} onChange={(event) => set("actor", event.target.value)}>
            <option value="">Anybody</option>
            {data?.people.map(({ id, email }) => (
              <option key={id} value={id}>
                {email}
              </option>
            ))}
            {ACTOR_KINDS.map(({ kind, name }) => (
              <option key={kind} value={kind}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          From
          <input type="date" value={filter.from} onChange={(event) => set("from", event.target.value)} />
        </label>
        <label>
          To
          <input type="date" value={filter.to} onChange={(event) => set("to", event.target.value)} />
        </label>
      </search>
      {isPending && <Loading />}
      {error && <Failed problem={error} again={() => void refetch()} />}
      {data && (
        <section className="a-panel a-flush" aria-busy={isPlaceholderData} aria-label="Found entries">
          <p className="a-count" role="status">
            {data.entries.length === 1 ? "1 entry" : `${data.entries.length} entries`}, the newest first
          </p>
          {data.entries.length === 0 ? (
            <Empty>No entry fits. Loosen a filter.</Empty>
          ) : (
            <AuditTable entries={data.entries} />
          )}
          {(before > 0 || data.next !== null) && (
            <nav className="a-pages" aria-label="Pages">
              <button
                type="button"
                className="btn btn-outline"
                disabled={before === 0}
                onClick={() => set("before", "")}
              >
                Newest
              </button>
              <button
                type="button"
                className="btn btn-outline"
                disabled={data.next === null}
                onClick={() => set("before", String(data.next))}
              >
                Older
              </button>
            </nav>
          )}
        </section>
      )}
    </>
  );
}

/** When the chain was verified last and how it was, and a button to look now. */
function Verification({ last }: { last: AuditVerification | null }) {
  const { client } = useConsole();
  const queries = useQueryClient();
  const verify = useMutation({
    mutationFn: () => invoke(client, "admin-verify-audit", AuditVerification),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["audit"] }),
    onError: (problem) => toast({ title: "Error", text: messageOf(problem), destructive: true }),
  });
  const found = verify.data ?? last;
  return (
    <section
      className={found ? `a-notice a-notice-${found.whole ? "good" : "bad"}` : "a-notice"}
      aria-label="Verification"
    >
      <div className="a-verified">
        <p role="status">{found ? said(found) : "The chain has not been verified yet."}</p>
        <button
          type="button"
          className="btn btn-outline"
          aria-disabled={verify.isPending}
          onClick={() => verify.isPending || verify.mutate()}
        >
          <ShieldCheck size={16} strokeWidth={1.75} /> {verify.isPending ? "Verifying…" : "Verify now"}
        </button>
      </div>
      {found && found.problems.length > 0 && (
        <ul>
          {found.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function said({ at, whole, entries }: AuditVerification): string {
  const when = `Chain verified at ${longDate(at)}`;
  return whole
    ? `${when}: ${entries.toLocaleString("en")} entries, whole and in order.`
    : `${when}: the log was tampered with. Keep the database as it is, and compare it with a backup.`;
}

import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useSearchParams } from "react-router";
import { toast } from "../../ui/toast";
import { invoke, messageOf } from "../client";
import { useConsole, useIsAdmin } from "../context";
import { save } from "../frame/save";
import { Empty, Failed, Loading } from "../frame/states";
import { Csv, INDUSTRIES, INDUSTRY_NAME, SessionList } from "../shapes";
import { SessionTable } from "./table";

const PAGE = 50;

const SORTS = [
  { value: "started_at", label: "Newest first" },
  { value: "started_at asc", label: "Oldest first" },
  { value: "score_overall", label: "Highest score" },
  { value: "score_overall asc", label: "Lowest score" },
  { value: "turn_count", label: "Most turns" },
] as const;

/** What the address says is shown: a filtered list can be sent to a colleague. */
function filterOf(params: URLSearchParams): Record<string, unknown> {
  const [sort, direction] = (params.get("sort") ?? "started_at").split(" ");
  const number = (name: string) => (params.get(name) ? Number(params.get(name)) : undefined);
  return {
    search: params.get("search") ?? "",
    industry: params.get("industry") ?? "",
    status: params.get("status") ?? "",
    from: params.get("from") ?? "",
    to: params.get("to") ?? "",
    minScore: number("minScore"),
    maxScore: number("maxScore"),
    sort,
    ascending: direction === "asc",
  };
}

export function SessionsPage() {
  const { client } = useConsole();
  const isAdmin = useIsAdmin();
  const [params, setParams] = useSearchParams();
  const page = Math.max(1, Number(params.get("page") ?? 1));
  const filter = filterOf(params);
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    queryKey: ["sessions", filter, page],
    queryFn: () =>
      invoke(client, "admin-get-sessions", SessionList, { ...filter, limit: PAGE, offset: (page - 1) * PAGE }),
    placeholderData: keepPreviousData,
  });
  const exported = useMutation({
    mutationFn: () => invoke(client, "admin-export-sessions", Csv, filter),
    onSuccess: ({ csv }) => save("sessions.csv", csv),
    onError: (problem) => toast({ title: "Error", text: messageOf(problem), destructive: true }),
  });

  function set(name: string, value: string) {
    const next = new URLSearchParams(params);
    next.delete("page");
    if (value === "") {
      next.delete(name);
    } else {
      next.set(name, value);
    }
    setParams(next, { replace: true });
  }

  const total = data?.total ?? 0;
  const pages = Math.max(1, Math.ceil(total / PAGE));
  return (
    <>
      <div className="a-head">
        <h1>Sessions</h1>
        {isAdmin && (
          <button
            type="button"
            className="btn btn-outline"
            aria-disabled={exported.isPending}
            onClick={() => exported.mutate()}
          >
            <Download size={16} strokeWidth={1.75} /> {exported.isPending ? "Exporting…" : "Export as CSV"}
          </button>
        )}
      </div>
      <search className="a-filters">
        <label className="a-wide">
          Search
          <input
            type="search"
            placeholder={isAdmin ? "Scenario, email address or session id" : "Scenario or session id"}
            defaultValue={params.get("search") ?? ""}
            onChange={(event) => set("search", event.target.value)}
          />
        </label>
        <label>
          Industry
          <select value={params.get("industry") ?? ""} onChange={(event) => set("industry", event.target.value)}>
            <option value="">All</option>
            {INDUSTRIES.map((industry) => (
              <option key={industry} value={industry}>
                {INDUSTRY_NAME[industry]}
              </option>
            ))}
          </select>
        </label>
        <label>
          Status
          <select value={params.get("status") ?? ""} onChange={(event) => set("status", event.target.value)}>
            <option value="">All</option>
            <option value="complete">Complete</option>
            <option value="incomplete">Incomplete</option>
          </select>
        </label>
        <label>
          From
          <input type="date" value={params.get("from") ?? ""} onChange={(event) => set("from", event.target.value)} />
        </label>
        <label>
          To
          <input type="date" value={params.get("to") ?? ""} onChange={(event) => set("to", event.target.value)} />
        </label>
        <label>
          Score from
          <input
            type="number"
            min={0}
            max={100}
            value={params.get("minScore") ?? ""}
            onChange={(event) => set("minScore", event.target.value)}
          />
        </label>
        <label>
          to
          <input
            type="number"
            min={0}
            max={100}
            value={params.get("maxScore") ?? ""}
            onChange={(event) => set("maxScore", event.target.value)}
          />
        </label>
        <label>
          Order
          <select value={params.get("sort") ?? "started_at"} onChange={(event) => set("sort", event.target.value)}>
            {SORTS.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </search>
      {isPending && <Loading />}
      {error && <Failed problem={error} again={() => void refetch()} />}
      {data && (
        <section className="a-panel a-flush" aria-busy={isPlaceholderData} aria-label="Found sessions">
          <p className="a-count" role="status">
            {total === 1 ? "1 session" : `${total.toLocaleString("en")} sessions`}
          </p>
          {data.sessions.length === 0 ? (
            <Empty>No session fits. Loosen a filter, or wait for a visitor.</Empty>
          ) : (
            <SessionTable sessions={data.sessions} />
          )}
          {pages > 1 && (
            <nav className="a-pages" aria-label="Pages">
              <button
                type="button"
                className="btn btn-outline"
                disabled={page <= 1}
                onClick={() => setParams(withPage(params, page - 1))}
              >
                Previous
              </button>
              <span>
                Page {page} of {pages.toLocaleString("en")}
              </span>
              <button
                type="button"
                className="btn btn-outline"
                disabled={page >= pages}
                onClick={() => setParams(withPage(params, page + 1))}
              >
                Next
              </button>
            </nav>
          )}
        </section>
      )}
    </>
  );
}

function withPage(params: URLSearchParams, page: number): URLSearchParams {
  const next = new URLSearchParams(params);
  next.set("page", String(page));
  return next;
}

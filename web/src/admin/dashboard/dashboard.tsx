import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { invoke } from "../client";
import { useConsole, useIsAdmin } from "../context";
import { daysAgo, percent } from "../frame/format";
import { Empty, Failed, Loading } from "../frame/states";
import { SessionTable } from "../sessions/table";
import { INDUSTRY_PAPER, type Industry, Overview, type Step, type Sums } from "../shapes";
import { DayChart } from "./day-chart";

const PERIODS = [
  { days: 7, label: "Last 7 days" },
  { days: 28, label: "Last 28 days" },
  { days: 90, label: "Last 90 days" },
  { days: 365, label: "Last 365 days" },
] as const;

export function DashboardPage() {
  const { client } = useConsole();
  const [days, setDays] = useState<number>(28);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["overview", days],
    queryFn: () => invoke(client, "admin-get-overview", Overview, { from: daysAgo(days - 1), to: daysAgo(0) }),
  });
  return (
    <>
      <div className="a-head">
        <h1>Dashboard</h1>
        <label className="a-pick">
          Period
          <select value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {PERIODS.map((period) => (
              <option key={period.days} value={period.days}>
                {period.label}
              </option>
            ))}
          </select>
        </label>
      </div>
      {isPending && <Loading />}
      {error && <Failed problem={error} again={() => void refetch()} />}
      {data && <Figures overview={data} label={PERIODS.find((period) => period.days === days)?.label ?? ""} />}
    </>
  );
}

function ModelLine({ model }: { model: Overview["model"] }) {
  if (model === null) {
    return <p className="a-quiet">No language model is connected: the built-in engine answers and judges.</p>;
  }
  const used = `${model.callsToday} of ${model.callLimit} calls today`;
  return (
    <p className="a-quiet">
      {model.available
        ? `Language model ${model.model}: ${used}.`
        : `Language model ${model.model} is not asked at the moment (${model.reason || "its budget is used up"}; ${used}). The built-in engine stands in.`}
    </p>
  );
}

function Figures({ overview, label }: { overview: Overview; label: string }) {
  const { total } = overview;
  const isAdmin = useIsAdmin();
  return (
    <>
      {isAdmin && overview.contactWaiting > 0 && (
        <p className="a-notice">
          <Link to="/admin/contact">
            {overview.contactWaiting === 1 ? "1 contact message is" : `${overview.contactWaiting} contact messages are`}{" "}
            waiting for an answer
          </Link>
        </p>
      )}
      <dl className="a-kpis">
        <Figure name="Sessions" value={total.sessions} note={label} />
        <Figure
          name="Completed"
          value={total.completed}
          note={`${percent(total.completed, total.sessions)}% of sessions`}
        />
        <Figure name="Average score" value={total.averageScore ?? "–"} note="Of 100, scored sessions" />
        <Figure
          name="CTA conversion"
          value={`${overview.ctaConversion}%`}
          note={`${total.emails} sessions left an email`}
        />
      </dl>
      <ModelLine model={overview.model} />
      {total.sessions === 0 ? (
        <section className="a-panel">
          <Empty>Nobody has started a scenario in this period. The public pages are the way in.</Empty>
        </section>
      ) : (
        <>
          <div className="a-two">
            <section className="a-panel" aria-labelledby="by-day">
              <div className="a-panel-head">
                <h2 id="by-day">Sessions by day</h2>
                <p className="a-key">
                  <span className="a-key-done">Completed</span>
                  <span className="a-key-open">Incomplete</span>
                  <span className="a-key-score">Average score</span>
                </p>
              </div>
              <DayChart days={overview.days} />
            </section>
            <section className="a-panel" aria-labelledby="by-scenario">
              <div className="a-panel-head">
                <h2 id="by-scenario">By scenario</h2>
              </div>
              <ul className="a-bars">
                {overview.scenarios.map((sums) => (
                  <ScenarioBar
                    key={sums.key}
                    sums={sums}
                    most={Math.max(...overview.scenarios.map((s) => s.sessions))}
                  />
                ))}
              </ul>
            </section>
          </div>
          <div className="a-two a-even">
            <Steps title="From start to email" steps={overview.funnel} />
            <Steps title="Drop-off by turn" steps={overview.dropOff} />
          </div>
        </>
      )}
      <section className="a-panel a-flush" aria-labelledby="recent">
        <div className="a-panel-head">
          <h2 id="recent">Recent sessions</h2>
          <Link className="btn btn-outline" to="/admin/sessions">
            All sessions
          </Link>
        </div>
        {overview.recent.length === 0 ? <Empty>No session yet.</Empty> : <SessionTable sessions={overview.recent} />}
      </section>
    </>
  );
}

function Figure({ name, value, note }: { name: string; value: number | string; note: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {typeof value === "number" ? value.toLocaleString("en") : value}
        <small>{note}</small>
      </dd>
    </div>
  );
}

function ScenarioBar({ sums, most }: { sums: Sums; most: number }) {
  return (
    <li className={`paper-${INDUSTRY_PAPER[sums.industry as Industry] ?? "plain"}`}>
      <div>
        <b>{sums.key}</b>
        <span>{sums.sessions.toLocaleString("en")} sessions</span>
      </div>
      <svg className="a-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <rect width={100} height={10} className="a-bar-ground" />
        <rect width={(100 * sums.sessions) / Math.max(1, most)} height={10} className="t-them" />
      </svg>
      <p>
        Average score <b>{sums.averageScore ?? "–"}</b>
      </p>
    </li>
  );
}

function Steps({ title, steps }: { title: string; steps: readonly Step[] }) {
  const first = steps[0]?.count ?? 0;
  const id = title.toLowerCase().replaceAll(" ", "-");
  return (
    <section className="a-panel" aria-labelledby={id}>
      <div className="a-panel-head">
        <h2 id={id}>{title}</h2>
      </div>
      <table className="a-steps">
        <thead className="sr-only">
          <tr>
            <th>Step</th>
            <th>Share</th>
            <th>Sessions</th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step) => (
            <tr key={step.name}>
              <th scope="row">{step.name}</th>
              <td>
                <svg
                  className="a-bar"
                  viewBox="0 0 100 10"
                  preserveAspectRatio="none"
                  aria-hidden="true"
                  focusable="false"
                >
                  <rect width={100} height={10} className="a-bar-track" />
                  <rect width={percent(step.count, first)} height={10} className="t-you" />
                </svg>
              </td>
              <td className="a-num">
                {step.count.toLocaleString("en")} <small>{percent(step.count, first)}%</small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

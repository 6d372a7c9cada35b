import { useQuery } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import { Link, useParams } from "react-router";
import { ReportStrip } from "../../drawing/report-strip";
import { ConsoleError, invoke } from "../client";
import { useConsole, useIsAdmin } from "../context";
import { engineName, longDate } from "../frame/format";
import { Empty, Failed, Loading } from "../frame/states";
import { INDUSTRY_NAME, INDUSTRY_PAPER, type SessionDetail, SessionDetail as Shape } from "../shapes";
import { Log } from "./log";
import { Status } from "./table";

const VERDICT = {
  met: "Met",
  partly_met: "Partly met",
  missed: "Missed",
  harmful: "Harmful",
  not_reached: "Not reached",
} as const;

export function SessionPage() {
  const { id = "" } = useParams();
  const { client } = useConsole();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["session", id],
    queryFn: () => invoke(client, "admin-get-session-detail", Shape, { sessionId: id }),
    retry: false,
  });
  const missing = error instanceof ConsoleError && error.code === "session_not_found";
  return (
    <>
      <Link className="a-back" to="/admin/sessions">
        <ArrowLeft size={16} strokeWidth={1.75} /> Sessions
      </Link>
      {isPending && <Loading />}
      {missing && <Empty>Session not found</Empty>}
      {error && !missing && <Failed problem={error} again={() => void refetch()} />}
      {data && <Whole session={data.session} />}
    </>
  );
}

function Whole({ session }: { session: SessionDetail }) {
  const { report } = session;
  const isAdmin = useIsAdmin();
  const paper = INDUSTRY_PAPER[session.scenarios.industry];
  return (
    <>
      <div className="a-head">
        <div>
          <h1>{session.scenarios.title}</h1>
          <p className="a-sub">
            <span>
              <i className={`swatch paper-${paper}`} />
              {INDUSTRY_NAME[session.scenarios.industry]}
            </span>
            <Status complete={session.completed_at !== null} />
            <span>
              {session.turn_count} of {session.max_turns} turns{duration(session)}
            </span>
          </p>
        </div>
        {report && (
          <div className="a-score">
            <strong>{report.overall}</strong>
            <dl>
              {report.dimensionDetails.map(({ name, score }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{score}</dd>
                </div>
              ))}
            </dl>
          </div>
        )}
      </div>
      {isAdmin && report && report.turns.length > 0 && (
        <div className={`a-strip paper paper-${paper}`}>
          <ReportStrip
            turns={scoredTurns(session)}
            label={`Score by turn: ${report.turns.map((turn) => turn.score).join(", ")}`}
          />
        </div>
      )}
      <div className="a-two a-detail">
        {isAdmin ? <Log session={session} /> : report && <Criteria report={report} />}
        <div className="a-column">
          {isAdmin && (
            <section className="a-panel" aria-labelledby="ai-report">
              <div className="a-panel-head">
                <h2 id="ai-report">AI report</h2>
                {report && <span className="a-quiet">{engineName(report.engine)}</span>}
              </div>
              <p className="a-report">{session.ai_report ?? "There is no report: the scenario was not completed."}</p>
            </section>
          )}
          <Visitor session={session} />
          {isAdmin && report && <Criteria report={report} />}
        </div>
      </div>
    </>
  );
}

function Visitor({ session }: { session: SessionDetail }) {
  const isAdmin = useIsAdmin();
  const place = [session.geo_city, session.geo_country].filter(Boolean).join(", ");
  const personal = [
    ["Email", session.user_email ?? "None left"],
    ["IP address", session.visitor_ip ?? "–"],
    ["Location", place || "Not known"],
    ["User agent", session.user_agent ?? "–"],
  ] as const;
  const facts = [
    ...(isAdmin
      ? personal
      : [["Score by turn", session.report?.turns.map((turn) => turn.score).join(", ") || "–"] as const]),
    ["Report sent", longDate(session.email_sent_at)],
    ["Started", longDate(session.started_at)],
    ["Completed", longDate(session.completed_at)],
    ["Answered by", [...new Set(session.engines)].filter(Boolean).map(engineName).join(", ") || "–"],
    ["Session", session.id],
  ] as const;
  return (
    <section className="a-panel" aria-labelledby="visitor">
      <div className="a-panel-head">
        <h2 id="visitor">{isAdmin ? "Visitor" : "Session"}</h2>
      </div>
      <dl className="a-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Criteria({ report }: { report: NonNullable<SessionDetail["report"]> }) {
  return (
    <section className="a-panel" aria-labelledby="criteria">
      <div className="a-panel-head">
        <h2 id="criteria">Criteria</h2>
      </div>
      <ul className="a-criteria">
        {report.criteria.map((criterion) => (
          <li key={`${criterion.dimension} ${criterion.id}`} className={`is-${criterion.verdict}`}>
            <div>
              <b>{criterion.title}</b>
              <span>
                {Math.round(criterion.points * 10) / 10} of {Math.round(criterion.maxPoints * 10) / 10}
              </span>
            </div>
            <p>
              <em>{VERDICT[criterion.verdict]}.</em> {criterion.feedback}
              {criterion.engine && <small> Judged by: {engineName(criterion.engine)}.</small>}
            </p>
            {criterion.evidence?.map((found) => (
              <p key={`${found.turn} ${found.start}`}>
                <a href={`#turn-${found.turn}`}>Turn {found.turn}</a> <q>{found.quote}</q>
              </p>
            ))}
          </li>
        ))}
      </ul>
      {report.note && <p className="a-quiet">{report.note}</p>}
    </section>
  );
}

function scoredTurns({ raw_log, report }: SessionDetail) {
  return (report?.turns ?? []).map(({ turn, delta, score }) => ({
    turn,
    delta,
    score,
    said: raw_log[2 * turn - 1]?.content ?? "",
    answer: raw_log[2 * turn]?.content ?? "",
  }));
}

function duration({ started_at, completed_at }: SessionDetail): string {
  if (!completed_at) {
    return "";
  }
  const minutes = Math.round((new Date(completed_at).getTime() - new Date(started_at).getTime()) / 60_000);
  return minutes < 1 ? ", under a minute" : minutes === 1 ? ", 1 minute" : `, ${minutes} minutes`;
}

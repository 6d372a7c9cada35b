import { Check, CircleDashed } from "lucide-react";
import { Link } from "react-router";
import { useIsAdmin } from "../context";
import { shortDate } from "../frame/format";
import { Table } from "../frame/table";
import { INDUSTRY_NAME, INDUSTRY_PAPER, type Session } from "../shapes";

/** Sessions, a row each. */
export function SessionTable({ sessions }: { sessions: readonly Session[] }) {
  const isAdmin = useIsAdmin();
  return (
    <Table label="Sessions">
      <thead>
        <tr>
          <th>Scenario</th>
          <th>Started</th>
          <th className="a-num">Turns</th>
          <th className="a-num">Score</th>
          {isAdmin && <th>Email</th>}
          <th>Status</th>
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <tr key={session.id}>
            <td>
              <i
                className={`swatch paper-${INDUSTRY_PAPER[session.scenarios.industry]}`}
                title={INDUSTRY_NAME[session.scenarios.industry]}
              />
              <Link to={`/admin/sessions/${session.id}`}>{session.scenarios.title}</Link>
            </td>
            <td className="a-quiet">{shortDate(session.started_at)}</td>
            <td className="a-num">{session.turn_count}</td>
            <td className="a-num">
              <b>{session.score_overall ?? "–"}</b>
            </td>
            {isAdmin && <td>{session.user_email ?? <span className="a-quiet">None left</span>}</td>}
            <td>
              <Status complete={session.completed_at !== null} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

export function Status({ complete }: { complete: boolean }) {
  return complete ? (
    <span className="a-status a-status-done">
      <Check size={15} strokeWidth={2} /> Complete
    </span>
  ) : (
    <span className="a-status">
      <CircleDashed size={15} strokeWidth={1.75} /> Incomplete
    </span>
  );
}

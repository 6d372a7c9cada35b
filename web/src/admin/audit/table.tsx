import { longDate } from "../frame/format";
import { Table } from "../frame/table";
import type { AuditEntry } from "../shapes";
import { actionName, actorName } from "./words";

const RESULT: Record<string, string> = { refused: " (refused)", failed: " (failed)" };

/** Entries, a row each. */
export function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  return (
    <Table label="Entries" className="a-audit">
      <thead>
        <tr>
          <th>When</th>
          <th>Who</th>
          <th>What</th>
          <th>Details</th>
          <th className="a-num">Entry</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.seq}>
            <td className="a-quiet">{longDate(entry.at)}</td>
            <td>
              {actorName(entry.actor_kind, entry.actor_email, entry.actor_id)}
              {entry.address && <small className="a-under">{entry.address}</small>}
            </td>
            <td>
              <b>{actionName(entry.action)}</b>
              {RESULT[entry.result]}
              <small className="a-under">{entry.object}</small>
            </td>
            <td className="a-audit-details">
              {entry.erased
                ? "Erased together with the person"
                : Object.entries(entry.detail ?? {})
                    .map(([name, value]) => `${name}: ${value}`)
                    .join(", ")}
            </td>
            <td className="a-num a-quiet">{entry.seq}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

import { penPath } from "../../drawing/trace";
import { dayName } from "../frame/format";
import type { Sums } from "../shapes";

const WIDTH = 900;
const BASE = 210;
const UP = 120;
const DOWN = 60;
/** Scores have their own scale, on the right. */
const scoreY = (score: number) => BASE - 20 - (score / 100) * 170;

/** Sessions by day: completed above the line, incomplete below, the pen through the average scores. Readable as a table too. */
export function DayChart({ days }: { days: readonly Sums[] }) {
  const step = (WIDTH - 40) / Math.max(1, days.length);
  const bar = Math.min(16, step * 0.64);
  const most = Math.max(1, ...days.map((day) => day.completed));
  const mostOpen = Math.max(1, ...days.map((day) => day.sessions - day.completed));
  const unit = Math.min(UP / most, DOWN / mostOpen);
  const x = (i: number) => i * step + step / 2;
  const scored = days.flatMap((day, i) =>
    day.averageScore === null ? [] : [[x(i), scoreY(day.averageScore)] as const],
  );
  const every = Math.max(1, Math.ceil(days.length / 6));
  return (
    <>
      <svg className="a-chart" viewBox={`0 0 ${WIDTH} 310`} aria-hidden="true" focusable="false">
        {[25, 50, 75, 100].map((score) => (
          <g key={score}>
            <path className="a-grid" d={`M0 ${scoreY(score)}H${WIDTH - 40}`} />
            <text x={WIDTH - 30} y={scoreY(score) + 4}>
              {score}
            </text>
          </g>
        ))}
        <path className="t-base" d={`M0 ${BASE}H${WIDTH - 40}`} />
        <path className="t-you" d={days.map((day, i) => rect(x(i), bar, BASE - 3, -day.completed * unit)).join("")} />
        <path
          className="a-open"
          d={days.map((day, i) => rect(x(i), bar, BASE + 3, (day.sessions - day.completed) * unit)).join("")}
        />
        <path className="t-pen" d={penPath(scored)} />
        {scored.map(([cx, cy], i) => (
          <circle
            key={cx}
            className={i === scored.length - 1 ? "t-dot" : "t-node"}
            cx={cx}
            cy={cy}
            r={i === scored.length - 1 ? 6 : 3}
          />
        ))}
        {days.map((day, i) =>
          i % every === 0 ? (
            <text key={day.key} x={x(i)} y={302} textAnchor="middle">
              {dayName(day.key)}
            </text>
          ) : null,
        )}
      </svg>
      <details className="a-as-table">
        <summary>As a table</summary>
        <div className="a-scroll">
          <table>
            <thead>
              <tr>
                <th>Day</th>
                <th className="a-num">Sessions</th>
                <th className="a-num">Completed</th>
                <th className="a-num">Emails</th>
                <th className="a-num">Average score</th>
              </tr>
            </thead>
            <tbody>
              {days
                .filter((day) => day.sessions > 0)
                .map((day) => (
                  <tr key={day.key}>
                    <th scope="row">{day.key}</th>
                    <td className="a-num">{day.sessions}</td>
                    <td className="a-num">{day.completed}</td>
                    <td className="a-num">{day.emails}</td>
                    <td className="a-num">{day.averageScore ?? "–"}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

function rect(middle: number, width: number, from: number, height: number): string {
  return height === 0
    ? ""
    : `M${(middle - width / 2).toFixed(1)} ${from}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;
}

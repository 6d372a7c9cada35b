import { signed } from "../drawing/report-strip";
import type { Comparison as Compared } from "./attempt";
import { capitalised } from "./findings";

/** This attempt beside the one before it. */
export function Comparison({ compared, Heading }: { compared: Compared; Heading: "h2" | "h3" }) {
  const { scores, gained, lost } = compared;
  return (
    <section className="compare" aria-labelledby="compare-title">
      <Heading id="compare-title">Compared with your last attempt</Heading>
      <table>
        <thead>
          <tr>
            <th scope="col">Score</th>
            <th scope="col">Before</th>
            <th scope="col">Now</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {scores.map(({ name, before, now }) => (
            <tr key={name}>
              <th scope="row">{capitalised(name)}</th>
              <td>{before}</td>
              <td>{now}</td>
              <td className={now < before ? "down" : now > before ? "up" : undefined}>{signed(now - before)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="compare-criteria">
        <Titles label="Newly met" titles={gained} none="No criterion that was open before." />
        <Titles label="No longer met" titles={lost} none="None: what you met before, you met again." />
      </div>
      <p className="quiet">{KEPT}</p>
    </section>
  );
}

const KEPT = "Scores and verdicts of your last attempt stay in this tab and are gone when you close it.";

function Titles({ label, titles, none }: { label: string; titles: readonly string[]; none: string }) {
  return (
    <div>
      <b>{label}</b>
      {titles.length > 0 ? (
        <ul>
          {titles.map((title) => (
            <li key={title}>{title}</li>
          ))}
        </ul>
      ) : (
        <p>{none}</p>
      )}
    </div>
  );
}

import type { Vital } from "../api/shapes";

/** The facts beside the portrait: who this is, how they feel, the vitals, what is scored. */
interface CaseFileProps {
  name: string;
  role: string;
  /** The state in a word, once the run is on. */
  feels?: string;
  vitals: readonly Vital[];
  criteria: readonly string[];
}

export function CaseFile({ name, role, feels, vitals, criteria }: CaseFileProps) {
  return (
    <div className="case-file">
      <div className="case-who">
        <strong>{name}</strong>
        <span>{role}</span>
        {feels && <em className="mood">{feels}</em>}
      </div>
      {vitals.length > 0 && (
        <dl className="vitals">
          {vitals.map((vital) => (
            <div key={vital.id}>
              <dt>{vital.label}</dt>
              <dd className={`vital-${vital.level}`}>
                {vital.value}
                {vital.unit && <small>{vital.unit}</small>}
                {vital.level !== "ok" && <span className="sr-only">, {LEVEL[vital.level]}</span>}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {criteria.length > 0 && (
        <div className="scored-on">
          <b>You are scored on</b>
          <ul>
            {criteria.map((criterion) => (
              <li key={criterion}>{criterion}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

const LEVEL = { warn: "abnormal", critical: "critical" };

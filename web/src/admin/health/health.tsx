import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CircleDashed, CircleX, Check as Tick, TriangleAlert } from "lucide-react";
import { toast } from "../../ui/toast";
import { invoke, messageOf } from "../client";
import { useConsole } from "../context";
import { longDate, shortDate } from "../frame/format";
import { Empty, Failed, Loading } from "../frame/states";
import { Table } from "../frame/table";
import { Done } from "../shapes";
import { type Availability, type Check, Health, type Instance, type Letter } from "./shapes";
import { down, partName, period, share, span, summary } from "./words";

const EVERY = 30_000; // ms; the server looks no more often

export function HealthPage() {
  const { client } = useConsole();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["health"],
    queryFn: () => invoke(client, "admin-get-health", Health),
    refetchInterval: EVERY,
  });
  return (
    <>
      <div className="a-head">
        <h1>Health</h1>
        {data && <p className="a-quiet">{summary(data.checks)}</p>}
      </div>
      {isPending && <Loading />}
      {error && <Failed problem={error} again={() => void refetch()} />}
      {data && (
        <>
          <Measured availability={data.availability} now={data.now} />
          <Parts checks={data.checks} />
          <Letters letters={data.failedLetters} queued={data.queuedLetters} />
          <Instances instances={data.instances} now={data.now} />
        </>
      )}
    </>
  );
}

function Measured({ availability, now }: { availability: readonly Availability[]; now: string }) {
  if (availability.length === 0) {
    return <p className="a-notice">Availability is shown once a whole minute was measured.</p>;
  }
  return (
    <dl className="a-kpis">
      {availability.map((one) => (
        <div key={one.days}>
          <dt>{period(one.days)}</dt>
          <dd>
            {share(one)}
            <small>{down(one, now)}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Parts({ checks }: { checks: readonly Check[] }) {
  return (
    <section className="a-panel a-flush" aria-labelledby="parts">
      <div className="a-panel-head">
        <h2 id="parts">Parts</h2>
      </div>
      <Table label="Parts" className="a-health">
        <thead>
          <tr>
            <th>Part</th>
            <th>State</th>
            <th>Since</th>
            <th>Last error</th>
          </tr>
        </thead>
        <tbody>
          {checks.map((check) => (
            <tr key={check.name}>
              <th scope="row">
                <b>{partName(check.name)}</b>
                {check.note && <span className="a-under">{check.note}</span>}
              </th>
              <td>
                <State state={check.state} />
              </td>
              <td className="a-quiet">{shortDate(check.since)}</td>
              <td className="a-quiet">
                {check.lastErrorAt ? `${check.lastError}, ${shortDate(check.lastErrorAt)}` : "None since the start"}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  );
}

function State({ state }: { state: Check["state"] }) {
  switch (state) {
    case "ok":
      return (
        <span className="a-status a-status-done">
          <Tick size={15} strokeWidth={2} /> Works
        </span>
      );
    case "degraded":
      return (
        <span className="a-status a-status-warning">
          <TriangleAlert size={15} strokeWidth={2} /> Needs attention
        </span>
      );
    case "failing":
      return (
        <span className="a-status a-status-failed">
          <CircleX size={15} strokeWidth={2} /> Failing
        </span>
      );
    case "off":
      return (
        <span className="a-status">
          <CircleDashed size={15} strokeWidth={1.75} /> Not configured
        </span>
      );
  }
}

const KIND: Record<string, string> = { report: "Report", contact: "Contact message" };

function Letters({ letters, queued }: { letters: readonly Letter[]; queued: number }) {
  const { client } = useConsole();
  const queries = useQueryClient();
  const retry = useMutation({
    mutationFn: (letter: Letter) => invoke(client, "admin-retry-letter", Done, { id: letter.id }),
    onSuccess: () => {
      toast({ title: "On its way", text: "The letter is tried again now." });
      return queries.invalidateQueries({ queryKey: ["health"] });
    },
    onError: (problem) => toast({ title: "Error", text: messageOf(problem), destructive: true }),
  });
  return (
    <section className="a-panel a-flush" aria-labelledby="letters">
      <div className="a-panel-head">
        <h2 id="letters">Failed letters</h2>
        <p className="a-quiet">
          {queued === 0 ? "None is waiting" : queued === 1 ? "1 is waiting" : `${queued} are waiting`} to be handed over
        </p>
      </div>
      {letters.length === 0 ? (
        <Empty>No letter was given up in the last 14 days.</Empty>
      ) : (
        <Table label="Failed letters" className="a-health">
          <thead>
            <tr>
              <th>Letter</th>
              <th>Queued</th>
              <th className="a-num">Attempts</th>
              <th>Reason</th>
              <th className="a-actions">
                <span className="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {letters.map((letter) => (
              <tr key={letter.id}>
                <th scope="row">{KIND[letter.kind] ?? letter.kind}</th>
                <td className="a-quiet">{longDate(letter.queuedAt)}</td>
                <td className="a-num">{letter.attempts}</td>
                <td className="a-reason">{letter.reason}</td>
                <td className="a-actions">
                  <button
                    type="button"
                    className="btn btn-outline"
                    aria-disabled={retry.isPending}
                    onClick={() => !retry.isPending && retry.mutate(letter)}
                  >
                    Try again
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
}

function Instances({ instances, now }: { instances: readonly Instance[]; now: string }) {
  return (
    <section className="a-panel a-flush" aria-labelledby="instances">
      <div className="a-panel-head">
        <h2 id="instances">Instances</h2>
      </div>
      <Table label="Instances" className="a-health">
        <thead>
          <tr>
            <th>Host</th>
            <th>State</th>
            <th>Started</th>
            <th>Last sign of life</th>
            <th>Version</th>
          </tr>
        </thead>
        <tbody>
          {instances.map((instance) => (
            <tr key={instance.id}>
              <th scope="row">
                <b>{instance.host}</b>
                {instance.this && <span className="a-under">Answers this page</span>}
              </th>
              <td>
                {instance.alive ? (
                  <span className="a-status a-status-done">
                    <Tick size={15} strokeWidth={2} /> Runs for {span(instance.startedAt, now)}
                  </span>
                ) : (
                  <span className="a-status">
                    <CircleDashed size={15} strokeWidth={1.75} /> Gone
                  </span>
                )}
              </td>
              <td className="a-quiet">{longDate(instance.startedAt)}</td>
              <td className="a-quiet">{longDate(instance.seenAt)}</td>
              <td className="a-quiet">{instance.version}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </section>
  );
}

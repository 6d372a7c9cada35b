import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { toast } from "../../ui/toast";
import { invoke, messageOf } from "../client";
import { useConsole, useIsAdmin } from "../context";
import { Confirm } from "../frame/confirm";
import { longDate } from "../frame/format";
import { Empty, Failed, Loading } from "../frame/states";
import { Table } from "../frame/table";
import { Done, INDUSTRY_NAME, INDUSTRY_PAPER, type Scenario, ScenarioList } from "../shapes";

export function ScenariosPage() {
  const { client } = useConsole();
  const isAdmin = useIsAdmin();
  const queries = useQueryClient();
  const [doomed, setDoomed] = useState<Scenario>();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["scenarios"],
    queryFn: () => invoke(client, "admin-get-scenarios", ScenarioList),
  });
  const remove = useMutation({
    mutationFn: (scenario: Scenario) => invoke(client, "admin-delete-scenario", Done, { id: scenario.id }),
    onSuccess: async (_, scenario) => {
      toast({ title: "Scenario deleted", text: `${scenario.title} is gone. Its finished sessions stay.` });
      setDoomed(undefined);
      await queries.invalidateQueries({ queryKey: ["scenarios"] });
    },
    onError: (problem) => toast({ title: "Error", text: messageOf(problem), destructive: true }),
  });
  return (
    <>
      <div className="a-head">
        <h1>Scenarios</h1>
        {isAdmin && (
          <Link className="btn btn-primary" to="/admin/scenarios/new">
            <Plus size={16} strokeWidth={2} /> New scenario
          </Link>
        )}
      </div>
      {isPending && <Loading />}
      {error && <Failed problem={error} again={() => void refetch()} />}
      {data && (
        <section className="a-panel a-flush" aria-label="All scenarios">
          {data.scenarios.length === 0 ? (
            <Empty>No scenario yet. Write the first one.</Empty>
          ) : (
            <Table label="Scenarios">
              <thead>
                <tr>
                  <th>Title</th>
                  <th>Industry</th>
                  <th className="a-num">Turns</th>
                  <th>Visibility</th>
                  <th>Changed</th>
                  {isAdmin && (
                    <th>
                      <span className="sr-only">Actions</span>
                    </th>
                  )}
                </tr>
              </thead>
              <tbody>
                {data.scenarios.map((scenario) => (
                  <tr key={scenario.id}>
                    <td>
                      {isAdmin ? (
                        <Link to={`/admin/scenarios/${scenario.id}/edit`}>{scenario.title}</Link>
                      ) : (
                        <b className="a-name">{scenario.title}</b>
                      )}
                      <small className="a-under">{scenario.slug}</small>
                    </td>
                    <td>
                      <i className={`swatch paper-${INDUSTRY_PAPER[scenario.industry]}`} />
                      {INDUSTRY_NAME[scenario.industry]}
                    </td>
                    <td className="a-num">{scenario.max_turns}</td>
                    <td>{scenario.is_public ? "Public" : "Private"}</td>
                    <td className="a-quiet">{longDate(scenario.updated_at)}</td>
                    {isAdmin && (
                      <td className="a-actions">
                        <Link
                          className="btn btn-outline"
                          to={`/admin/scenarios/${scenario.id}/edit`}
                          aria-label={`Edit ${scenario.title}`}
                        >
                          Edit
                        </Link>
                        <button
                          type="button"
                          className="btn btn-outline"
                          aria-label={`Delete ${scenario.title}`}
                          onClick={() => setDoomed(scenario)}
                        >
                          Delete
                        </button>
                      </td>
                    )}
                  </tr>
                ))}
              </tbody>
            </Table>
          )}
        </section>
      )}
      {doomed && (
        <Confirm
          title={`Delete “${doomed.title}”?`}
          text="Visitors can't start it any more, and running sessions of it end. Finished sessions stay."
          action="Delete scenario"
          busy={remove.isPending}
          onConfirm={() => remove.mutate(doomed)}
          onCancel={() => setDoomed(undefined)}
        />
      )}
    </>
  );
}

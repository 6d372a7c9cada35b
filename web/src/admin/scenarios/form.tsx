import { valibotResolver } from "@hookform/resolvers/valibot";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Controller, type FieldErrors, useForm } from "react-hook-form";
import { Link, useNavigate, useParams } from "react-router";
import { toast } from "../../ui/toast";
import { ConsoleError, invoke, messageOf, understood } from "../client";
import { useConsole } from "../context";
import { Empty, Failed, Loading } from "../frame/states";
import { INDUSTRIES, INDUSTRY_NAME, OneScenario, Scenario, ScenarioList } from "../shapes";
import { JsonEditor } from "./json-editor";
import { Preview } from "./preview";
import { type ScenarioFields, ScenarioInput } from "./scenario-input";

/** Scenarios that the engine knows by heart. Others run in its general mode while no model is connected. */
const PACKAGED = ["healthcare-emergency", "aviation-cabin-crew", "corporate-sales"];

const BLANK: ScenarioFields = {
  title: "",
  slug: "",
  industry: "healthcare",
  short_description: "",
  system_prompt: "",
  rubric: `{
  "Empathy": { "weight": 50, "description": "Notices what the other person feels and answers it." },
  "Clarity": { "weight": 50, "description": "Plain words, one thing at a time." }
}`,
  max_turns: 6,
  is_public: false,
  thumbnail_url: "",
};

export default function ScenarioFormPage() {
  const { id } = useParams();
  const { client } = useConsole();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["scenario", id],
    enabled: id !== undefined,
    retry: false,
    queryFn: async () => {
      const { data: row, error: problem } = await client.from("scenarios").select("*").eq("id", id).single();
      if (problem) {
        throw new ConsoleError(problem.message, problem.code);
      }
      return understood(Scenario, row);
    },
  });
  const missing = error instanceof ConsoleError && ["PGRST116", "22P02"].includes(error.code);
  return (
    <>
      <Link className="a-back" to="/admin/scenarios">
        <ArrowLeft size={16} strokeWidth={1.75} /> Scenarios
      </Link>
      <div className="a-head">
        <h1>{id === undefined ? "New scenario" : (data?.title ?? "Scenario")}</h1>
      </div>
      {id !== undefined && isPending && <Loading />}
      {missing && <Empty>Scenario not found</Empty>}
      {error && !missing && <Failed problem={error} again={() => void refetch()} />}
      {id === undefined && <ScenarioForm initial={BLANK} />}
      {data && <ScenarioForm key={data.id} id={data.id} initial={fieldsOf(data)} />}
    </>
  );
}

function fieldsOf(scenario: Scenario): ScenarioFields {
  return { ...scenario, rubric: JSON.stringify(scenario.rubric, null, 2), thumbnail_url: scenario.thumbnail_url ?? "" };
}

function ScenarioForm({ id, initial }: { id?: string; initial: ScenarioFields }) {
  const { client } = useConsole();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data: all } = useQuery({
    queryKey: ["scenarios"],
    queryFn: () => invoke(client, "admin-get-scenarios", ScenarioList),
  });
  const form = useForm<ScenarioFields, unknown, ScenarioInput>({
    resolver: valibotResolver(ScenarioInput),
    defaultValues: initial,
  });
  const { register, control, formState, handleSubmit, setError, watch } = form;
  const errors = formState.errors;
  const [draft, setDraft] = useState<ScenarioInput>();

  const save = useMutation({
    mutationFn: (input: ScenarioInput) => {
      const body = { ...input, rubric: JSON.parse(input.rubric) as Record<string, unknown> };
      return id === undefined
        ? invoke(client, "admin-create-scenario", OneScenario, body)
        : invoke(client, "admin-update-scenario", OneScenario, { id, ...body });
    },
    onSuccess: async ({ scenario }) => {
      toast(
        id === undefined
          ? { title: "Scenario created", text: `${scenario.title} is ${scenario.is_public ? "public" : "private"}.` }
          : { title: "Scenario updated", text: "Sessions that are running keep what they started with." },
      );
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["scenarios"] }),
        queries.invalidateQueries({ queryKey: ["scenario", scenario.id] }),
      ]);
      navigate("/admin/scenarios");
    },
    onError: (problem) => {
      if (problem instanceof ConsoleError && problem.code === "slug_taken") {
        setError("slug", { message: problem.message }, { shouldFocus: true });
      }
      toast({ title: "Error", text: messageOf(problem), destructive: true });
    },
  });

  /** Said at the field and in the toast. */
  function complain(found: FieldErrors<ScenarioFields>) {
    const first = Object.values(found)[0]?.message;
    toast({ title: "Error", text: String(first ?? "Check the marked fields."), destructive: true });
  }

  const packaged = PACKAGED.includes(watch("slug"));
  return (
    <>
      <form className="a-panel a-form" noValidate onSubmit={handleSubmit((input) => save.mutate(input), complain)}>
        <div className="a-form-pair">
          <Field name="title" label="Title" problem={errors.title?.message}>
            <input id="title" aria-invalid={!!errors.title} aria-describedby="title-problem" {...register("title")} />
          </Field>
          <Field
            name="slug"
            label="Slug"
            hint="The name in addresses, such as cardiac-arrest."
            problem={errors.slug?.message}
          >
            <input
              id="slug"
              aria-invalid={!!errors.slug}
              aria-describedby="slug-hint slug-problem"
              {...register("slug")}
            />
          </Field>
        </div>
        <div className="a-form-pair">
          <Field name="industry" label="Industry" problem={errors.industry?.message}>
            <select id="industry" aria-describedby="industry-problem" {...register("industry")}>
              {INDUSTRIES.map((industry) => (
                <option key={industry} value={industry}>
                  {INDUSTRY_NAME[industry]}
                </option>
              ))}
            </select>
          </Field>
          <Field name="max_turns" label="Maximum turns" hint="From 1 to 50." problem={errors.max_turns?.message}>
            <input
              id="max_turns"
              inputMode="numeric"
              aria-invalid={!!errors.max_turns}
              aria-describedby="max_turns-hint max_turns-problem"
              {...register("max_turns")}
            />
          </Field>
        </div>
        <Field name="short_description" label="Short description" optional problem={errors.short_description?.message}>
          <textarea
            id="short_description"
            rows={2}
            aria-describedby="short_description-problem"
            {...register("short_description")}
          />
        </Field>
        <Field
          name="system_prompt"
          label="System prompt"
          hint="Who the virtual human is, what they know, how they speak and react."
          problem={errors.system_prompt?.message}
        >
          <textarea
            id="system_prompt"
            rows={8}
            aria-invalid={!!errors.system_prompt}
            aria-describedby="system_prompt-hint system_prompt-problem"
            {...register("system_prompt")}
          />
        </Field>
        <div className="field">
          <span className="a-label" id="rubric-label">
            Rubric
          </span>
          <Controller
            control={control}
            name="rubric"
            render={({ field }) => (
              <JsonEditor
                value={field.value}
                labelledBy="rubric-label"
                describedBy="rubric-problem"
                onChange={field.onChange}
              />
            )}
          />
          <p className="field-problem" id="rubric-problem" role="alert">
            {errors.rubric?.message}
          </p>
        </div>
        <Field name="thumbnail_url" label="Thumbnail address" optional problem={errors.thumbnail_url?.message}>
          <input
            id="thumbnail_url"
            type="url"
            aria-invalid={!!errors.thumbnail_url}
            aria-describedby="thumbnail_url-problem"
            {...register("thumbnail_url")}
          />
        </Field>
        <label className="a-check">
          <input type="checkbox" {...register("is_public")} /> Public: visitors can start it
        </label>
        {!packaged && all && (
          <p className="a-note" role="note">
            {all.modelConnected
              ? "This scenario has no package of its own: the connected language model plays its prompt and judges by its rubric. While the model is away, the built-in engine stands in with its general mode."
              : "This scenario has no package of its own. While no language model is connected it runs in the engine's general mode: sensible answers in the role that the prompt describes, judged by the rubric's own words and general conversation skills."}
          </p>
        )}
        <div className="row">
          <button type="submit" className="btn btn-primary" aria-disabled={save.isPending}>
            {save.isPending ? "Saving…" : id === undefined ? "Create scenario" : "Save changes"}
          </button>
          <button type="button" className="btn btn-outline" onClick={handleSubmit(setDraft, complain)}>
            Play the draft
          </button>
          <Link className="btn btn-outline" to="/admin/scenarios">
            Cancel
          </Link>
        </div>
      </form>
      {draft && <Preview draft={draft} onClose={() => setDraft(undefined)} />}
    </>
  );
}

interface FieldProps {
  name: keyof ScenarioFields;
  label: string;
  hint?: string;
  optional?: boolean;
  problem: string | undefined;
  children: ReactNode;
}

function Field({ name, label, hint, optional = false, problem, children }: FieldProps) {
  return (
    <div className="field">
      <label htmlFor={name}>
        {label} {optional && <span className="field-optional">optional</span>}
      </label>
      {children}
      {hint && (
        <p className="a-hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      <p className="field-problem" id={`${name}-problem`} role="alert">
        {problem}
      </p>
    </div>
  );
}

import { valibotResolver } from "@hookform/resolvers/valibot";
import { useMutation } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { toast } from "../../ui/toast";
import { ConsoleError, invoke, messageOf } from "../client";
import { useConsole } from "../context";
import { EVENT_NAME, EVENTS, HookInput, NewHook } from "./shapes";

/** Takes the address of another system. */
export function HookForm({ onCreated }: { onCreated: (made: NewHook) => void }) {
  const { client } = useConsole();
  const { register, handleSubmit, formState, setError, reset } = useForm<HookInput>({
    resolver: valibotResolver(HookInput),
    defaultValues: { url: "", events: ["run.finished"], personal: false },
  });
  const create = useMutation({
    mutationFn: (input: HookInput) => invoke(client, "admin-create-hook", NewHook, input),
    onSuccess: (made) => {
      reset();
      onCreated(made);
    },
    onError: (problem) => {
      if (problem instanceof ConsoleError && problem.message.startsWith("url: ")) {
        setError("url", { message: problem.message.slice(5) }, { shouldFocus: true });
        return;
      }
      toast({ title: "Error", text: messageOf(problem), destructive: true });
    },
  });
  const { url, events } = formState.errors;
  return (
    <form
      className="a-panel a-form"
      noValidate
      aria-label="New webhook"
      onSubmit={handleSubmit((input) => create.isPending || create.mutate(input))}
    >
      <h2 className="a-form-title">New webhook</h2>
      <div className="field">
        <label htmlFor="url">Address</label>
        <input
          id="url"
          type="url"
          inputMode="url"
          placeholder="https://"
          aria-invalid={!!url}
          aria-describedby="url-problem"
          {...register("url")}
        />
        <p className="field-problem" id="url-problem" role="alert">
          {url?.message}
        </p>
      </div>
      <fieldset className="a-events" aria-describedby="events-problem">
        <legend className="a-label">Events</legend>
        {EVENTS.map((event) => (
          <label key={event} className="a-check">
            <input type="checkbox" value={event} {...register("events")} /> {EVENT_NAME[event]}
          </label>
        ))}
        <p className="field-problem" id="events-problem" role="alert">
          {events?.message}
        </p>
      </fieldset>
      <div>
        <label className="a-check">
          <input type="checkbox" aria-describedby="personal-hint" {...register("personal")} /> Send personal data, too
        </label>
        <p className="a-hint" id="personal-hint">
          What a visitor wrote through the contact form, and the address that a report was mailed to. Without it, events
          carry ids, scenario, score and times.
        </p>
      </div>
      <div className="row">
        <button type="submit" className="btn btn-primary" aria-disabled={create.isPending}>
          {create.isPending ? "Creating…" : "Create webhook"}
        </button>
      </div>
    </form>
  );
}

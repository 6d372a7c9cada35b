import { valibotResolver } from "@hookform/resolvers/valibot";
import { useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import * as v from "valibot";
import { toast } from "../../ui/toast";
import { useConsole } from "../context";
import { Field } from "../frame/field";

const MIN_LENGTH = 15;

const Change = v.pipe(
  v.object({
    current: v.pipe(v.string(), v.nonEmpty("Enter your current password.")),
    next: v.pipe(v.string(), v.minLength(MIN_LENGTH, `Use at least ${MIN_LENGTH} characters.`)),
    again: v.string(),
  }),
  v.forward(
    v.partialCheck([["next"], ["again"]], ({ next, again }) => next === again, "This is not the same password."),
    ["again"],
  ),
);

export function PasswordPanel() {
  const { client } = useConsole();
  const queries = useQueryClient();
  const { register, handleSubmit, formState, reset, setError } = useForm({
    resolver: valibotResolver(Change),
    defaultValues: { current: "", next: "", again: "" },
  });

  async function change({ current, next }: v.InferOutput<typeof Change>) {
    const { error } = await client.auth.updateUser({ password: next, current_password: current });
    if (error) {
      const field =
        error.code === "weak_password" ? "next" : error.code === "current_password_invalid" ? "current" : "";
      if (field) {
        setError(field, { message: error.message }, { shouldFocus: true });
      } else {
        toast({ title: "Error", text: error.message, destructive: true });
      }
      return;
    }
    reset();
    toast({ title: "Password Changed", text: "You are signed out everywhere else." });
    await queries.invalidateQueries({ queryKey: ["account"] });
  }

  const { current, next, again } = formState.errors;
  return (
    <section className="a-panel" aria-labelledby="password-title">
      <div className="a-panel-head">
        <h2 id="password-title">Password</h2>
      </div>
      <form className="a-form" noValidate onSubmit={handleSubmit(change)}>
        <Field
          id="current"
          label="Current password"
          type="password"
          autoComplete="current-password"
          problem={current?.message}
          {...register("current")}
        />
        <Field
          id="next"
          label="New password"
          type="password"
          autoComplete="new-password"
          hint={`At least ${MIN_LENGTH} characters, such as several unrelated words.`}
          problem={next?.message}
          {...register("next")}
        />
        <Field
          id="again"
          label="New password, again"
          type="password"
          autoComplete="new-password"
          problem={again?.message}
          {...register("again")}
        />
        <div>
          <button type="submit" className="btn btn-primary" aria-disabled={formState.isSubmitting}>
            {formState.isSubmitting ? "Changing…" : "Change password"}
          </button>
        </div>
      </form>
    </section>
  );
}

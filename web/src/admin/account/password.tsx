import { valibotResolver } from "@hookform/resolvers/valibot";
import { useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import * as v from "valibot";
import { toast } from "../../ui/toast";
import { useConsole } from "../context";
import { PasswordField } from "../frame/field";
import { SIGN_IN_AGAIN, useAccount } from "./use-account";

const MIN_LENGTH = 15;

const change = (current: v.GenericSchema<string>) =>
  v.pipe(
    v.object({
      current,
      next: v.pipe(v.string(), v.minLength(MIN_LENGTH, `Use at least ${MIN_LENGTH} characters.`)),
      again: v.string(),
    }),
    v.forward(
      v.partialCheck([["next"], ["again"]], ({ next, again }) => next === again, "This is not the same password."),
      ["again"],
    ),
  );
const Change = change(v.pipe(v.string(), v.nonEmpty("Enter your current password.")));
const First = change(v.string());

export function PasswordPanel() {
  const { client } = useConsole();
  const queries = useQueryClient();
  const hasPassword = useAccount().data?.has_password ?? true;
  const { register, handleSubmit, formState, reset, setError } = useForm({
    resolver: valibotResolver(hasPassword ? Change : First),
    defaultValues: { current: "", next: "", again: "" },
  });

  async function send({ current, next }: v.InferOutput<typeof Change>) {
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
      <form className="a-form" noValidate onSubmit={handleSubmit(send)}>
        {hasPassword ? (
          <PasswordField id="current" label="Current password" problem={current?.message} {...register("current")} />
        ) : (
          <p>You have no password here and sign in through your identity provider. {SIGN_IN_AGAIN}</p>
        )}
        <PasswordField
          id="next"
          label="New password"
          autoComplete="new-password"
          hint={`At least ${MIN_LENGTH} characters, such as several unrelated words.`}
          problem={next?.message}
          {...register("next")}
        />
        <PasswordField
          id="again"
          label="New password, again"
          autoComplete="new-password"
          problem={again?.message}
          {...register("again")}
        />
        <div>
          <button type="submit" className="btn btn-primary" aria-disabled={formState.isSubmitting}>
            {formState.isSubmitting ? "Changing…" : hasPassword ? "Change password" : "Set password"}
          </button>
        </div>
      </form>
    </section>
  );
}

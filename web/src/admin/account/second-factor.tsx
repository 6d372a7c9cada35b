import { valibotResolver } from "@hookform/resolvers/valibot";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Check } from "lucide-react";
import { useState } from "react";
import { useForm } from "react-hook-form";
import * as v from "valibot";
import { toast } from "../../ui/toast";
import { invoke, messageOf } from "../client";
import { useConsole } from "../context";
import { Field, PasswordField } from "../frame/field";
import { longDate } from "../frame/format";
import { Failed, Loading } from "../frame/states";
import { Done, Enrolment, RecoveryCodes } from "../shapes";
import { Code } from "./code";
import { SetUp } from "./set-up";
import { SIGN_IN_AGAIN, useAccount } from "./use-account";

export function SecondFactorPanel() {
  const { client } = useConsole();
  const queries = useQueryClient();
  const [doing, setDoing] = useState<"nothing" | "set-up" | "turn-off">("nothing");
  const factors = useQuery({
    queryKey: ["account", "factors"],
    queryFn: async () => {
      const { data, error } = await client.auth.mfa.listFactors();
      if (error) {
        throw error;
      }
      return data.totp;
    },
  });
  const account = useAccount();
  const make = useMutation({
    mutationFn: () => invoke(client, "admin-make-recovery-codes", RecoveryCodes),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["account"] }),
    onError: (problem) => toast({ title: "Error", text: messageOf(problem), destructive: true }),
  });
  const factor = factors.data?.[0];
  const left = account.data?.recovery_codes_left ?? 0;
  const hasPassword = account.data?.has_password ?? true;

  return (
    <section className="a-panel" aria-labelledby="factor-title">
      <div className="a-panel-head">
        <h2 id="factor-title">Second factor</h2>
        {factors.data && (
          <span className={factor ? "a-status a-status-done" : "a-status"}>
            {factor ? (
              <>
                <Check size={15} strokeWidth={2} /> On since {longDate(factor.updated_at)}
              </>
            ) : (
              "Off"
            )}
          </span>
        )}
      </div>
      {factors.isPending && <Loading />}
      {factors.error && <Failed problem={factors.error} again={() => void factors.refetch()} />}
      {factors.data && !factor && doing === "nothing" && (
        <div className="a-form">
          <p>
            With a second factor, signing in takes your password and a code from an app on your phone. A password that
            somebody else knows is then not enough.
          </p>
          <div>
            <button type="button" className="btn btn-primary" onClick={() => setDoing("set-up")}>
              Set up
            </button>
          </div>
        </div>
      )}
      {!factor && doing === "set-up" && (
        <Begin
          hasPassword={hasPassword}
          onDone={() => {
            setDoing("nothing");
            toast({ title: "Second Factor On", text: "You are signed out everywhere else." });
            make.mutate();
          }}
          onCancel={() => setDoing("nothing")}
        />
      )}
      {factor && doing === "nothing" && (
        <div className="a-form">
          {make.data ? (
            <Codes codes={make.data.codes} />
          ) : (
            account.data && (
              <p className={left === 0 ? "a-note" : undefined}>
                {left === 0
                  ? "There are no recovery codes. Without one, a lost phone keeps you out: make some and keep them."
                  : `${left} recovery ${left === 1 ? "code is" : "codes are"} left for a lost phone.`}
              </p>
            )
          )}
          <div className="row">
            <button
              type="button"
              className="btn btn-outline"
              aria-disabled={make.isPending}
              onClick={() => make.mutate()}
            >
              Make new recovery codes
            </button>
            <button type="button" className="btn btn-outline" onClick={() => setDoing("turn-off")}>
              Turn off
            </button>
          </div>
        </div>
      )}
      {factor && doing === "turn-off" && <TurnOff hasPassword={hasPassword} onEnd={() => setDoing("nothing")} />}
    </section>
  );
}

function Codes({ codes }: { codes: readonly string[] }) {
  return (
    <>
      <p className="a-note">
        Keep these recovery codes where you would keep a spare key. Each signs you in once, in place of your phone. They
        are not shown again, and those from before count no more.
      </p>
      <ul className="a-codes" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

const Password = v.pipe(v.string(), v.nonEmpty("Enter your password."));
const Proof = v.object({ password: Password });
const ProofAndCode = v.object({ password: Password, code: Code });
const CodeAlone = v.object({ password: v.string(), code: Code });

interface BeginProps {
  hasPassword: boolean;
  onDone: () => void;
  onCancel: () => void;
}

/** Asks who it is first: the browser may have been left open. */
function Begin({ hasPassword, onDone, onCancel }: BeginProps) {
  const { client } = useConsole();
  const { register, handleSubmit, formState, setError } = useForm({
    resolver: hasPassword ? valibotResolver(Proof) : undefined,
    defaultValues: { password: "" },
  });
  const { data, mutate, isPending } = useMutation({
    mutationFn: (proof: v.InferOutput<typeof Proof>) => invoke(client, "admin-set-up-second-factor", Enrolment, proof),
    onError: (problem) => {
      if (hasPassword) {
        setError("password", { message: messageOf(problem) }, { shouldFocus: true });
      } else {
        toast({ title: "Error", text: messageOf(problem), destructive: true });
      }
    },
  });
  if (data) {
    return <SetUp made={data} onDone={onDone} onCancel={onCancel} />;
  }
  return (
    <form className="a-form" noValidate onSubmit={handleSubmit((proof) => mutate(proof))}>
      {hasPassword ? (
        <PasswordField
          id="factor-password"
          label="Password"
          problem={formState.errors.password?.message}
          {...register("password")}
        />
      ) : (
        <p>{SIGN_IN_AGAIN}</p>
      )}
      <div className="row">
        <button type="submit" className="btn btn-primary" aria-disabled={isPending}>
          {isPending ? "Checking…" : "Continue"}
        </button>
        <button type="button" className="btn btn-outline" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function TurnOff({ hasPassword, onEnd }: { hasPassword: boolean; onEnd: () => void }) {
  const { client } = useConsole();
  const queries = useQueryClient();
  const { register, handleSubmit, formState } = useForm({
    resolver: valibotResolver(hasPassword ? ProofAndCode : CodeAlone),
    defaultValues: { password: "", code: "" },
  });

  async function turnOff(proof: v.InferOutput<typeof ProofAndCode>) {
    try {
      await invoke(client, "admin-turn-off-second-factor", Done, proof);
    } catch (problem) {
      toast({ title: "Error", text: messageOf(problem), destructive: true });
      return;
    }
    await client.auth.refreshSession(); // its tokens speak of one factor again
    await queries.invalidateQueries({ queryKey: ["account"] });
    toast({ title: "Second Factor Off", text: "Signing in takes no code any more." });
    onEnd();
  }

  const { password, code } = formState.errors;
  return (
    <form className="a-form" noValidate onSubmit={handleSubmit(turnOff)}>
      {hasPassword ? (
        <PasswordField id="factor-password" label="Password" problem={password?.message} {...register("password")} />
      ) : (
        <p>{SIGN_IN_AGAIN}</p>
      )}
      <Field
        id="factor-code"
        label="Code, or a recovery code"
        autoComplete="one-time-code"
        problem={code?.message}
        {...register("code")}
      />
      <div className="row">
        <button type="submit" className="btn btn-danger" aria-disabled={formState.isSubmitting}>
          {formState.isSubmitting ? "Checking…" : "Turn off"}
        </button>
        <button type="button" className="btn btn-outline" onClick={onEnd}>
          Cancel
        </button>
      </div>
    </form>
  );
}

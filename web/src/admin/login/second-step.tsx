import { valibotResolver } from "@hookform/resolvers/valibot";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useForm } from "react-hook-form";
import type * as v from "valibot";
import { CodeForm } from "../account/code";
import { SetUp } from "../account/set-up";
import { messageOf } from "../client";
import { useConsole } from "../context";
import { Field } from "../frame/field";
import { Failed, Loading } from "../frame/states";

/** The second half of a sign-in: a code, or first of all the setting up. */
export function SecondStep({ onSetUp }: { onSetUp: () => void }) {
  const { client } = useConsole();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["account", "factors", "sign-in"],
    queryFn: async () => {
      const factors = await client.auth.mfa.listFactors();
      if (factors.error) {
        throw factors.error;
      }
      return factors.data.totp;
    },
    staleTime: 0,
    gcTime: 0,
  });
  const signOut = () => void client.auth.signOut();
  if (isPending) {
    return <Loading />;
  }
  if (error) {
    return <Failed problem={error} again={() => void refetch()} />;
  }
  if (data[0]) {
    return <CodeStep factorId={data[0].id} onCancel={signOut} />;
  }
  return (
    <>
      <h1>Set up a second factor</h1>
      <p>Admins here need one.</p>
      <FirstFactor onSend={onSetUp} onCancel={signOut} />
    </>
  );
}

/** The sign-in of a moment ago is proof enough. */
function FirstFactor({ onSend, onCancel }: { onSend: () => void; onCancel: () => void }) {
  const { client } = useConsole();
  const { mutate, data, error } = useMutation({
    mutationFn: async () => {
      const enrolled = await client.auth.mfa.enroll({ factorType: "totp" });
      if (enrolled.error) {
        throw enrolled.error;
      }
      return enrolled.data;
    },
  });
  useEffect(() => mutate(), [mutate]);
  if (error) {
    return (
      <>
        <Failed problem={error} again={() => mutate()} />
        <button type="button" className="btn btn-outline btn-lg" onClick={onCancel}>
          Cancel
        </button>
      </>
    );
  }
  return data ? <SetUp made={data} onSend={onSend} onDone={() => undefined} onCancel={onCancel} /> : <Loading />;
}

function CodeStep({ factorId, onCancel }: { factorId: string; onCancel: () => void }) {
  const { client } = useConsole();
  const { register, handleSubmit, formState, setError, setFocus } = useForm({
    resolver: valibotResolver(CodeForm),
    defaultValues: { code: "" },
  });
  useEffect(() => setFocus("code"), [setFocus]); // the button that had the focus is gone

  async function verify({ code }: v.InferOutput<typeof CodeForm>) {
    const { error } = await client.auth.mfa.challengeAndVerify({ factorId, code });
    if (error) {
      setError("code", { message: messageOf(error) }, { shouldFocus: true });
    }
  }

  return (
    <>
      <h1>Your second factor</h1>
      <form className="a-login-form" noValidate onSubmit={handleSubmit(verify)}>
        <Field
          id="code"
          label="Code"
          autoComplete="one-time-code"
          hint="From your authenticator app, or one of your recovery codes."
          problem={formState.errors.code?.message}
          {...register("code")}
        />
        <button type="submit" className="btn btn-primary btn-lg" aria-disabled={formState.isSubmitting}>
          {formState.isSubmitting ? "Checking…" : "Sign in"}
        </button>
        <button type="button" className="btn btn-outline btn-lg" onClick={onCancel}>
          Cancel
        </button>
      </form>
    </>
  );
}

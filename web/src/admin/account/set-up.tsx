import { valibotResolver } from "@hookform/resolvers/valibot";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import type * as v from "valibot";
import { messageOf } from "../client";
import { useConsole } from "../context";
import { Field } from "../frame/field";
import { Failed, Loading } from "../frame/states";
import { CodeForm } from "./code";

interface SetUpProps {
  /** Called before the code is sent: what comes after it may take this form away. */
  onSend?: () => void;
  onDone: () => void;
  onCancel: () => void;
}

/** Sets the second factor up: a picture for the phone, and the first code back. */
export function SetUp({ onSend, onDone, onCancel }: SetUpProps) {
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
  const { register, handleSubmit, formState, setError } = useForm({
    resolver: valibotResolver(CodeForm),
    defaultValues: { code: "" },
  });

  if (error) {
    return <Failed problem={error} again={() => mutate()} />;
  }
  if (!data) {
    return <Loading />;
  }

  async function confirm({ code }: v.InferOutput<typeof CodeForm>) {
    onSend?.();
    const answer = await client.auth.mfa.challengeAndVerify({ factorId: data?.id ?? "", code });
    if (answer.error) {
      setError("code", { message: messageOf(answer.error) }, { shouldFocus: true });
      return;
    }
    onDone();
  }

  return (
    <form className="a-form" noValidate onSubmit={handleSubmit(confirm)}>
      <p>Scan this picture with an authenticator app on your phone, then enter the six digits that it shows.</p>
      <Picture url={data.totp.qr_code} />
      <p className="a-hint">
        No camera? Type this key into the app: <code className="a-secret">{data.totp.secret}</code>
      </p>
      <Field
        id="code"
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        problem={formState.errors.code?.message}
        {...register("code")}
      />
      <div className="row">
        <button type="submit" className="btn btn-primary" aria-disabled={formState.isSubmitting}>
          {formState.isSubmitting ? "Checking…" : "Turn on"}
        </button>
        <button type="button" className="btn btn-outline" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** The client wraps the SVG into a data URL, which the page's policy does not let in; a blob it does. */
function Picture({ url }: { url: string }) {
  const [source, setSource] = useState("");
  useEffect(() => {
    const blob = URL.createObjectURL(new Blob([url.slice(url.indexOf(",") + 1)], { type: "image/svg+xml" }));
    setSource(blob);
    return () => URL.revokeObjectURL(blob);
  }, [url]);
  return source ? <img className="a-qr" src={source} width={208} height={208} alt="QR code for the app" /> : null;
}

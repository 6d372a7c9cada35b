import { valibotResolver } from "@hookform/resolvers/valibot";
import { useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import type * as v from "valibot";
import { messageOf } from "../client";
import { useConsole } from "../context";
import { Field } from "../frame/field";
import type { Enrolment } from "../shapes";
import { CodeForm } from "./code";

interface SetUpProps {
  made: Enrolment;
  /** Called before the code is sent: what comes after it may take this form away. */
  onSend?: () => void;
  onDone: () => void;
  onCancel: () => void;
}

/** Sets the second factor up: a picture for the phone, and the first code back. */
export function SetUp({ made: { id: factorId, totp }, onSend, onDone, onCancel }: SetUpProps) {
  const { client } = useConsole();
  const { register, handleSubmit, formState, setError } = useForm({
    resolver: valibotResolver(CodeForm),
    defaultValues: { code: "" },
  });

  async function confirm({ code }: v.InferOutput<typeof CodeForm>) {
    onSend?.();
    const answer = await client.auth.mfa.challengeAndVerify({ factorId, code });
    if (answer.error) {
      setError("code", { message: messageOf(answer.error) }, { shouldFocus: true });
      return;
    }
    onDone();
  }

  return (
    <form className="a-form" noValidate onSubmit={handleSubmit(confirm)}>
      <p>Scan this picture with an authenticator app on your phone, then enter the six digits that it shows.</p>
      <Picture svg={totp.qr_code} />
      <p className="a-hint">
        No camera? Type this key into the app: <code className="a-secret">{totp.secret}</code>
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

/** The stock client wraps the SVG into a data URL, which the page's policy does not let in; a blob it does. */
function Picture({ svg }: { svg: string }) {
  const [source, setSource] = useState("");
  useEffect(() => {
    const blob = URL.createObjectURL(new Blob([svg.replace(/^data:[^,]*,/, "")], { type: "image/svg+xml" }));
    setSource(blob);
    return () => URL.revokeObjectURL(blob);
  }, [svg]);
  return source ? <img className="a-qr" src={source} width={208} height={208} alt="QR code for the app" /> : null;
}

import type { InputHTMLAttributes, ReactNode } from "react";

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  id: string;
  label: string;
  problem: string | undefined;
  hint?: ReactNode;
}

/** A labelled input with what is wrong with it. */
export function Field({ id, label, problem, hint, ...input }: FieldProps) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} aria-invalid={!!problem} aria-describedby={`${id}-problem`} {...input} />
      {hint && <p className="a-hint">{hint}</p>}
      <p id={`${id}-problem`} className="field-problem" role="alert">
        {problem}
      </p>
    </div>
  );
}

/** A field for the password that somebody has, unless autoComplete says that it is a new one. */
export function PasswordField(props: FieldProps) {
  return <Field type="password" autoComplete="current-password" {...props} />;
}

import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { type Field, REASONS, type Reason } from "../../contact/message";
import { CONTACT_EMAIL } from "../../content/company";

const LABEL: Record<Reason, string> = {
  demo: "Book a demo",
  pricing: "Pricing",
  partnership: "Partnership",
  support: "Support",
  privacy: "Privacy & security",
  other: "Something else",
};

/**
 * The form as HTML. `contact/form.ts` checks it, sends it and keeps what was
 * typed; it is loaded when somebody begins to write.
 */
export function ContactForm() {
  return (
    <form
      className="contact-form"
      data-island="contact"
      data-email={CONTACT_EMAIL}
      noValidate
      method="post"
      aria-label="Contact form"
    >
      <noscript>
        <p className="contact-noscript">
          Sending this form needs JavaScript. Please write to <a href={`mailto:${CONTACT_EMAIL}`}>{CONTACT_EMAIL}</a>{" "}
          instead.
        </p>
      </noscript>
      <div className="contact-pair">
        <Labelled name="name" label="Name">
          <input
            id="contact-name"
            name="name"
            autoComplete="name"
            required
            maxLength={200}
            aria-describedby="contact-name-problem"
          />
        </Labelled>
        <Labelled name="email" label="Email">
          <input
            id="contact-email"
            name="email"
            type="email"
            inputMode="email"
            autoComplete="email"
            required
            maxLength={254}
            aria-describedby="contact-email-problem"
          />
        </Labelled>
      </div>
      <div className="contact-pair">
        <Labelled name="organization" label="Organization" optional>
          <input
            id="contact-organization"
            name="organization"
            autoComplete="organization"
            maxLength={200}
            aria-describedby="contact-organization-problem"
          />
        </Labelled>
        <Labelled name="reason" label="Reason">
          <select id="contact-reason" name="reason" required defaultValue="" aria-describedby="contact-reason-problem">
            <option value="">Please choose</option>
            {REASONS.map((reason) => (
              <option key={reason} value={reason}>
                {LABEL[reason]}
              </option>
            ))}
          </select>
        </Labelled>
      </div>
      <Labelled name="message" label="Message">
        <textarea
          id="contact-message"
          name="message"
          rows={7}
          required
          maxLength={5000}
          aria-describedby="contact-message-problem"
        />
      </Labelled>
      <div className="contact-trap" aria-hidden="true">
        <label htmlFor="contact-reference">Leave this field empty</label>
        <input id="contact-reference" name="reference" tabIndex={-1} autoComplete="off" />
      </div>
      <div className="contact-send">
        <button type="submit" className="btn btn-primary btn-lg">
          Send message
        </button>
        <p className="contact-note">
          <Lock size={16} strokeWidth={1.75} /> We use this to answer you. <a href="/privacy">Privacy &amp; Security</a>
        </p>
      </div>
      <p className="contact-sent" role="status" data-sent="" />
    </form>
  );
}

interface LabelledProps {
  name: Field;
  label: string;
  optional?: boolean;
  children: ReactNode;
}

function Labelled({ name, label, optional = false, children }: LabelledProps) {
  return (
    <div className="field">
      <label htmlFor={`contact-${name}`}>
        {label} {optional && <span className="field-optional">optional</span>}
      </label>
      {children}
      <p className="field-problem" id={`contact-${name}-problem`} data-problem={name} hidden />
    </div>
  );
}

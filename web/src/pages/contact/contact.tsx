import { CONTACT_EMAIL } from "../../content/company";
import { ContactForm } from "./contact-form";

const NEXT = [
  { title: "We read it", text: "A person does, not a queue." },
  {
    title: "We respond within 24 hours",
    text: "With an answer, or with the one question that we need answered first.",
  },
  { title: "You see it on your own case", text: "A demo with a procedure of yours, if you send one." },
] as const;

export function ContactPage() {
  return (
    <main id="main" className="wrap contact">
      <div className="contact-about">
        <h1 tabIndex={-1}>Contact</h1>
        <p className="lead">Tell us what you train and what goes wrong in it. We will show you the conversation.</p>
        <ol className="contact-next">
          {NEXT.map(({ title, text }) => (
            <li key={title}>
              <b>{title}</b>
              <p>{text}</p>
            </li>
          ))}
        </ol>
        <p className="contact-direct">
          Or write to <a href={`mailto:${CONTACT_EMAIL}`}>{CONTACT_EMAIL}</a>.
        </p>
      </div>
      <ContactForm />
    </main>
  );
}

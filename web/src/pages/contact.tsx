import { CONTACT_EMAIL } from "../content/company";

export function ContactPage() {
  return (
    <main id="main" className="wrap plain-page">
      <h1 tabIndex={-1}>Contact</h1>
      <section>
        <h2>Write to us</h2>
        <p className="lead">
          <a href={`mailto:${CONTACT_EMAIL}`}>{CONTACT_EMAIL}</a>. We respond within 24 hours.
        </p>
      </section>
    </main>
  );
}

export function PrivacyPage() {
  return (
    <main id="main" className="wrap plain-page">
      <h1 tabIndex={-1}>Privacy &amp; Security</h1>
      <section>
        <h2>What happens to a demo run</h2>
        <p className="lead">
          What you type is used to play and score your run. It is encrypted before it is stored. Demo sessions are
          deleted after 90 days by default. Nobody sells or shares it.
        </p>
      </section>
      <section>
        <h2>Ask us</h2>
        <p>
          <a className="btn btn-primary btn-lg" href="/contact?reason=privacy">
            Contact us about privacy
          </a>
        </p>
      </section>
    </main>
  );
}

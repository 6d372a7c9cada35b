export function PartnersPage() {
  return (
    <main id="main" className="wrap plain-page">
      <h1 tabIndex={-1}>Partner With Us</h1>
      <section>
        <h2>Content, hardware and institutional partners</h2>
        <p className="lead">Those who know a field, those who build its devices, and those who teach in it.</p>
        <div className="row">
          <a className="btn btn-primary btn-lg" href="/contact?reason=partnership">
            Talk about a partnership
          </a>
          <a className="btn btn-outline btn-lg" href="/platform#simcloud">
            See SimCloud
          </a>
        </div>
      </section>
    </main>
  );
}

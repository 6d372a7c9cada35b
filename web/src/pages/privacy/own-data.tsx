/** Where the mailed link leads. `privacy/own-data.ts` fills it. */
export function OwnDataPage() {
  return (
    <main id="main" className="wrap own-data" data-island="own-data" data-wake="now">
      <h1 tabIndex={-1}>Your data</h1>
      <noscript>
        <p className="lead">This page needs JavaScript, because your link stays in your browser.</p>
      </noscript>
      <div className="own-data-found" aria-live="polite" data-found="">
        <p className="lead">Looking…</p>
      </div>
      <dialog className="own-data-confirm" aria-labelledby="own-data-question" data-confirm="">
        <form method="dialog">
          <h2 id="own-data-question">Delete everything about you?</h2>
          <p>Your runs, reports and messages are gone at once and can’t be brought back.</p>
          <div className="row">
            <button type="submit" className="btn btn-outline" value="keep">
              Keep it
            </button>
            <button type="submit" className="btn btn-danger" value="delete">
              Delete everything
            </button>
          </div>
        </form>
      </dialog>
    </main>
  );
}

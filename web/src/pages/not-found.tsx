export function NotFoundPage() {
  return (
    <main id="main" className="lost">
      <div className="wrap">
        <h1 tabIndex={-1}>Oops! Page not found</h1>
        <p className="lead">The conversation ended here. Nothing at this address, and the path has been logged.</p>
        <a className="btn btn-primary btn-lg" href="/">
          Return to Home
        </a>
      </div>
      <svg viewBox="0 0 1440 190" preserveAspectRatio="xMinYMid slice" aria-hidden="true" focusable="false">
        <g transform="translate(80 0)">
          <path className="t-base" d="M-80 110H1400" />
          <path className="t-them" d="M81.5 113v21h6v-21z" />
          <path
            className="t-you"
            d="M3.5 107v-31h6v31zM16.5 107v-16h6v16zM29.5 107v-36h6v36zM42.5 107v-31h6v31zM120.5 107v-11h6v11zM133.5 107v-21h6v21zM146.5 107v-41h6v41zM159.5 107v-21h6v21zM172.5 107v-11h6v11zM185.5 107v-26h6v26z"
          />
          <path
            className="t-pen"
            d="M-80 110C-34.7 101.3 10.7 93.6 56 84C87.3 77.4 118.7 62 150 62C165.3 62 180.7 64.9 196 70C205.3 73.1 214.7 96.7 224 110L1400 110"
          />
        </g>
      </svg>
    </main>
  );
}

import type { ReactNode } from "react";

// The list is the owner's: the server repeats the cell for each institution
// (server/site/owner.yaml). A mark is drawn for each kind; a logo takes its place.

const MARKS: Record<string, ReactNode> = {
  university: (
    <>
      <path d="M6 20a14 14 0 0 1 28 0z" />
      <path d="M8 24h4v12H8zM18 24h4v12h-4zM28 24h4v12h-4z" />
    </>
  ),
  "technical-university": (
    <>
      <path d="M6 6h12v12H6zM22 22h12v12H22z" />
      <path d="M20 18a8 8 0 0 1 16 0z" />
      <circle cx={12} cy={28} r={5} />
    </>
  ),
  airline: (
    <>
      <path d="M4 22A18 18 0 0 1 36 10L22 22z" />
      <path d="M4 26h18l6 8H14z" />
    </>
  ),
  insurer: (
    <>
      <path d="M4 20a16 16 0 0 1 32 0z" />
      <path d="M18 23h4v9a4 4 0 0 1-8 0h3.4z" />
    </>
  ),
  pharma: (
    <g transform="rotate(-40 20 20)">
      <path d="M18.5 11.5H10a8.5 8.5 0 0 0 0 17h8.5z" />
      <path d="M21.5 11.5H30a8.5 8.5 0 0 1 0 17h-8.5z" opacity={0.55} />
    </g>
  ),
  cloud: (
    <>
      <path d="M3 30a9 9 0 0 1 18 0z" />
      <path d="M13 20a11 11 0 0 1 22 0v10H24.5A12 12 0 0 0 13 18z" />
    </>
  ),
  energy: (
    <>
      <path d="M8 30a12 12 0 0 1 24 0z" />
      <path d="M18.5 4h3v9h-3zM5.5 10.5l2.2-2 6 6.5-2.2 2zM32.3 8.5l2.2 2-6 6.5-2.2-2z" />
    </>
  ),
  // Two hands and a heart: the emblem itself may not be drawn.
  "red-cross": (
    <>
      <path d="M4 21a8 8 0 0 1 16 0zM20 21a8 8 0 0 1 16 0z" />
      <path d="M5 24h30L20 37z" />
    </>
  ),
  health: (
    <>
      <circle cx={20} cy={8} r={5} />
      <path d="M8 30a12 12 0 0 1 24 0zM4 33h32v3H4z" />
    </>
  ),
  "technology-park": (
    <>
      <path d="M5 14h6v22H5zM14 6h6v30h-6zM23 20h6v16h-6z" />
      <circle cx={33} cy={12} r={4} />
    </>
  ),
};

export function Institutions() {
  return (
    <>
      {"{%if .Institutions%}"}
      <section className="wrap" aria-labelledby="trusted">
        <h2 className="small-title" id="trusted">
          Trusted by Leading Institutions
        </h2>
        <svg width={0} height={0} aria-hidden="true" focusable="false" className="wall-marks">
          {Object.entries(MARKS).map(([kind, mark]) => (
            <symbol key={kind} id={`kind-${kind}`} viewBox="0 0 40 40">
              {mark}
            </symbol>
          ))}
        </svg>
        <ul className="wall">
          {"{%range .Institutions%}"}
          <li>
            {"{%if .Logo%}"}
            <img src="{%.Logo%}" alt="{%.Name%}" height={34} width={136} loading="lazy" />
            {"{%else%}"}
            <svg width={34} height={34} aria-hidden="true" focusable="false">
              <use href="#kind-{%.Kind%}" />
            </svg>
            <span>{"{%.Name%}"}</span>
            {"{%end%}"}
          </li>
          {"{%end%}"}
        </ul>
      </section>
      {"{%end%}"}
    </>
  );
}

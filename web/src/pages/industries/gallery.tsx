import type { Industry } from "../../content/industries";
import { Picture } from "../../drawing/picture";
import { CASES } from "../../run/cases";
import { Cohort, Headset, Instrument, PrintedReport } from "./gallery-drawings";

/**
 * Pictures and films of the industry. The page comes with drawings; what the
 * company has published takes their place when the visitor comes near
 * (`gallery/gallery.ts`).
 */
export function Gallery({ industry }: { industry: Industry }) {
  const about = CASES[industry.slug];
  const tile = `gallery-tile paper paper-${industry.paper}`;
  return (
    <section className="section" data-gallery={industry.id} aria-labelledby="gallery">
      <div className="wrap">
        <h2 className="section-title" id="gallery">
          {industry.galleryTitle}
        </h2>
        <ul className="gallery" data-items="">
          <li className="gallery-large">
            <div className={tile}>
              <Picture
                character={about.character}
                emotion="calm"
                mood={0.6}
                alt={`Drawing: ${about.name}, the virtual human of “${about.title}”`}
              />
            </div>
            <p>{about.name}, drawn by number</p>
          </li>
          <li>
            <div className={tile}>
              <Headset />
            </div>
            <p>The same case in a headset (drawing)</p>
          </li>
          <li>
            <div className={tile}>
              <Instrument industry={industry.id} />
            </div>
            <p>{industry.instrument} (drawing)</p>
          </li>
          <li>
            <div className={tile}>
              <Cohort />
            </div>
            <p>One cohort, one learner selected (drawing)</p>
          </li>
          <li>
            <div className={tile}>
              <PrintedReport />
            </div>
            <p>A printed report (drawing)</p>
          </li>
        </ul>
        <p className="gallery-note" data-note="" role="status" />
      </div>
    </section>
  );
}

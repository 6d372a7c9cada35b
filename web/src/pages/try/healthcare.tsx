import { BRAND } from "../../content/company";
import { Island } from "../../lib/island";
import { DemoBanner } from "../../run/banner";
import { FullPageRun } from "../../run/full-page";

/** The emergency room, without the site around it: nothing should pull a nurse away from a patient. */
export function TryHealthcarePage() {
  const props = { brand: BRAND };
  return (
    <div className="try-page">
      <DemoBanner />
      <Island name="full-page" props={props}>
        <FullPageRun {...props} />
      </Island>
    </div>
  );
}

import { BRAND, RETENTION_DAYS } from "../../content/company";
import { Island } from "../../lib/island";
import { DemoBanner } from "../../run/banner";
import { FullPageRun } from "../../run/full-page";

/** The emergency room, without the site around it: nothing should pull a nurse away from a patient. */
export function TryHealthcarePage() {
  return (
    <div className="try-page">
      <DemoBanner />
      <Island name="full-page">
        <FullPageRun brand={BRAND} retentionDays={RETENTION_DAYS} />
      </Island>
    </div>
  );
}

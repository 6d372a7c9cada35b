import { CORPORATE } from "../../content/industries";
import { IndustryPage } from "./industry-page";

export function CorporatePage() {
  return <IndustryPage industry={CORPORATE} />;
}

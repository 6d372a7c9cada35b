import { HEALTHCARE } from "../../content/industries";
import { IndustryPage } from "./industry-page";

export function HealthcarePage() {
  return <IndustryPage industry={HEALTHCARE} />;
}

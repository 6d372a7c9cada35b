import { AIRLINES } from "../../content/industries";
import { IndustryPage } from "./industry-page";

export function AirlinesPage() {
  return <IndustryPage industry={AIRLINES} />;
}

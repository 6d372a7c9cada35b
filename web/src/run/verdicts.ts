import { Check, CircleDashed, CircleSlash, Minus, TriangleAlert } from "lucide-react";

/** How a verdict is told: the word, and a sign that does not need colour. */
export const VERDICT = {
  met: { word: "Met", Icon: Check },
  partly_met: { word: "Partly met", Icon: Minus },
  missed: { word: "Missed", Icon: CircleDashed },
  harmful: { word: "Harmful", Icon: TriangleAlert },
  not_reached: { word: "Not reached", Icon: CircleSlash },
};

import type { Claim, Status } from "../api/privacy-status";

const STATE: Record<Claim["state"], string> = {
  active: "Active",
  partly: "Partly active",
  not_configured: "Not configured here",
  failing: "Not kept at the moment",
  measuring: "Being measured",
};

/** Fills the place beside each claim. */
export function showStatus(page: ParentNode, { claims, measured_at }: Status): void {
  for (const claim of claims) {
    const place = page.querySelector<HTMLElement>(`[data-claim="${claim.id}"]`);
    if (place) {
      place.dataset.state = claim.state;
      place.replaceChildren(badge(claim, measured_at), facts(claim));
      place.hidden = false;
    }
  }
}

function badge({ state }: Claim, measured: string): HTMLElement {
  const line = element("p", "claim-state");
  line.append(element("b", "", STATE[state]), ` measured ${moment(measured)}`);
  return line;
}

function facts({ facts }: Claim): HTMLElement {
  const list = element("ul", "claim-facts");
  list.append(...facts.map(({ text, at }) => element("li", "", at ? `${text} ${moment(at)}` : text)));
  return list;
}

const moment = (at: string) => new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });

function element(tag: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (className !== "") {
    made.className = className;
  }
  made.textContent = text;
  return made;
}

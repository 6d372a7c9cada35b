import { BRAND } from "../content/company";
import { Mark } from "../drawing/mark";

export function Logo() {
  return (
    <a className="logo" href="/" aria-label={`${BRAND} home`}>
      <Mark />
      <span>{BRAND}</span>
    </a>
  );
}

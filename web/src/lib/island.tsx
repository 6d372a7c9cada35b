import type { ReactNode } from "react";

/**
 * A part of a static page that becomes alive when a visitor acts on it. Its
 * children are in the HTML; `site.ts` loads the component of the same name and
 * hydrates them with `props`.
 */
export function Island({ name, props = {}, children }: { name: string; props?: object; children: ReactNode }) {
  return (
    <div data-island={name} data-props={JSON.stringify(props)}>
      {children}
    </div>
  );
}

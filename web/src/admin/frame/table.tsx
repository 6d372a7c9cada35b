import type { ReactNode } from "react";

interface TableProps {
  label: string;
  className?: string;
  children: ReactNode;
}

/** A table that scrolls by itself where it is wider than the page, by keyboard too. */
export function Table({ label, className, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <section className="a-scroll" tabIndex={0} aria-label={label}>
      <table className={className}>{children}</table>
    </section>
  );
}

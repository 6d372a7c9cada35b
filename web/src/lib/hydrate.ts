import { createElement, type FunctionComponent, type ReactNode, useEffect } from "react";
import { hydrateRoot } from "react-dom/client";

/** Makes the island at `root` alive. Resolves when it listens. */
export function hydrate<P extends object>(root: HTMLElement, component: FunctionComponent<P>): Promise<void> {
  const props = JSON.parse(root.dataset.props ?? "{}") as P;
  return new Promise((done) => {
    // The effect runs when the handlers are attached.
    hydrateRoot(root, createElement(Ready, { onReady: done }, createElement(component, props)));
  });
}

function Ready({ onReady, children }: { onReady: () => void; children?: ReactNode }) {
  useEffect(onReady, [onReady]);
  return children;
}

import { useEffect, useState, useSyncExternalStore } from "react";
import { browser } from "../api/browser";
import { openCalls } from "../api/calls";
import { newKey } from "../api/new-key";
import { toast } from "../ui/toast";
import { Conductor } from "./conductor";
import { NOT_STARTED, type Run, type Surface } from "./machine";

/** One run of a scenario in this tab; taken up again where a refresh left it. */
export function useRun(slug: string, surface: Surface): [Run, Conductor] {
  const [conductor] = useState(() => new Conductor(slug, surface, surroundings()));
  const run = useSyncExternalStore(conductor.subscribe, conductor.current, notStarted);
  // After the first paint, so that what was prerendered is what hydrates.
  useEffect(() => conductor.resume(), [conductor]);
  return [run, conductor];
}

const notStarted = () => NOT_STARTED;

function surroundings() {
  return {
    calls: openCalls(browser()),
    shelf: sessionShelf(),
    newKey,
    browserMeta: () => ({
      width: window.innerWidth,
      height: window.innerHeight,
      language: navigator.language,
      userAgent: navigator.userAgent,
    }),
    notify: toast,
  };
}

/** A browser may forbid storage; then a refresh starts anew. */
function sessionShelf(): Storage | undefined {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}

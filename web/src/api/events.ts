import { CallError } from "./call-error";

/** One event of a stream: its name and its data, read from JSON. */
export type Each = (name: string, data: unknown) => void;

/**
 * Reads a stream of server-sent events to its end. A stream that breaks off,
 * or that takes longer than the milliseconds given, rejects with a CallError.
 */
export async function readEvents(response: Response, patience: number, each: Each): Promise<void> {
  const reader = response.body?.getReader();
  if (!reader) {
    throw new CallError("unreadable", "");
  }
  const impatience = setTimeout(() => void reader.cancel(), patience);
  const decoder = new TextDecoder();
  let waiting = "";
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const events = (waiting + decoder.decode(piece.value, { stream: true })).split("\n\n");
      waiting = events.pop() ?? "";
      for (const event of events) {
        tell(event, each);
      }
    }
  } catch (problem) {
    throw problem instanceof CallError ? problem : new CallError("network", "");
  } finally {
    clearTimeout(impatience);
  }
}

function tell(event: string, each: Each): void {
  let name = "";
  let data = "";
  for (const line of event.split("\n")) {
    if (line.startsWith("event: ")) {
      name = line.slice("event: ".length);
    }
    if (line.startsWith("data: ")) {
      data += line.slice("data: ".length);
    }
  }
  each(name, parsed(data));
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new CallError("unreadable", "");
  }
}

import { beforeEach, describe, expect, it, vi } from "vitest";
import { CallError } from "./call-error";
import { type Calls, openCalls } from "./calls";

const ORIGIN = "https://sim.example";
const ANSWER = {
  npcMessage: "It hurts.",
  turnCount: 1,
  isComplete: false,
  emotion: "pain",
  mood: 0.2,
  vitals: [{ id: "hr", label: "HR", value: 110, level: "warn" }],
};

/** A server that answers one after the other; the last answer is repeated. */
let answers: (() => Response | Promise<Response>)[];
let asked: Request[];
let calls: Calls;
const wait = vi.fn(async (_: number) => {});

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });

beforeEach(() => {
  asked = [];
  answers = [json(200, ANSWER)];
  wait.mockClear();
  calls = openCalls({
    origin: ORIGIN,
    wait,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      if (request.url.endsWith("/config.json")) {
        return json(200, { publicKey: "sb_publishable_1" })();
      }
      asked.push(request);
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      return (answer as () => Response)();
    },
  });
});

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.unreachable("the call succeeded"),
    (problem: unknown) => problem as CallError,
  );

describe("a call", () => {
  it("goes to the function with the public key and its idempotency key", async () => {
    await calls.takeTurn("s-1", "Hello", "key-1");
    const [request] = asked;
    expect(request?.url).toBe(`${ORIGIN}/functions/v1/session-turn`);
    expect(request?.headers.get("apikey")).toBe("sb_publishable_1");
    expect(request?.headers.get("authorization")).toBe("Bearer sb_publishable_1");
    expect(request?.headers.get("idempotency-key")).toBe("key-1");
    expect(await request?.json()).toEqual({ sessionId: "s-1", userMessage: "Hello" });
  });

  it("reads the answer, numbers of vitals included", async () => {
    const answer = await calls.takeTurn("s-1", "Hello", "k");
    expect(answer).toMatchObject({ npcMessage: "It hurts.", emotion: "pain" });
    expect(answer.vitals).toEqual([{ id: "hr", label: "HR", value: "110", unit: "", level: "warn" }]);
  });

  it("plays an answer that has only the published fields", async () => {
    answers = [json(200, { npcMessage: "Yes", turnCount: 1, isComplete: false })];
    expect(await calls.takeTurn("s-1", "Hello", "k")).toMatchObject({ emotion: "calm", mood: 0.5, vitals: [] });
  });
});

describe("a turn that is heard while it is said", () => {
  const events = (...parts: [string, unknown][]) => {
    const text = parts.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join("");
    return () => new Response(text, { status: 200, headers: { "Content-Type": "text/event-stream" } });
  };
  let heard: string;
  const listen = () => {
    heard = "";
    return calls.takeTurn("s-1", "Hello", "k", (part) => {
      heard += part;
    });
  };

  it("asks for events, hears the parts and has the answer at the end", async () => {
    answers = [events(["part", { text: "It" }], ["part", { text: " hurts." }], ["answer", ANSWER])];
    expect(await listen()).toMatchObject({ npcMessage: "It hurts.", turnCount: 1 });
    expect(heard).toBe("It hurts.");
    expect(asked[0]?.headers.get("accept")).toContain("text/event-stream");
  });

  it("takes a plain answer as well", async () => {
    expect(await listen()).toMatchObject({ npcMessage: "It hurts." });
    expect(heard).toBe("");
  });

  it("fails when the server says so, or when no answer comes", async () => {
    answers = [events(["part", { text: "It" }], ["error", { error: "Try again.", code: "ai_unavailable" }])];
    expect(await failure(listen())).toMatchObject({ code: "ai_unavailable", message: "Try again." });
    answers = [events(["part", { text: "It" }])];
    expect(await failure(listen())).toMatchObject({ code: "network" });
    answers = [events(["answer", { npcMessage: 1 }])];
    expect(await failure(listen())).toMatchObject({ code: "unreadable" });
  });
});

describe("a failed call", () => {
  it.each<[string, () => Response | Promise<Response>, { code: string; message: string }]>([
    [
      "says what the server says",
      json(429, { error: "Too many messages.", code: "rate_limited" }, { "Retry-After": "7" }),
      { code: "rate_limited", message: "Too many messages." },
    ],
    [
      "has no message when the server sent a page",
      () => new Response("<h1>Bad Gateway</h1>", { status: 502 }),
      { code: "unreadable", message: "" },
    ],
    [
      "has no message when the server is gone",
      () => Promise.reject(new TypeError("fetch failed")),
      { code: "network", message: "" },
    ],
    ["is a failure when fields are missing", json(200, { npcMessage: "x" }), { code: "unreadable", message: "" }],
    [
      "is a failure when a count is no count",
      json(200, { ...ANSWER, turnCount: "1" }),
      { code: "unreadable", message: "" },
    ],
  ])("%s", async (_, answer, expected) => {
    answers = [answer];
    const problem = await failure(calls.takeTurn("s-1", "Hello", "k"));
    expect(problem).toBeInstanceOf(CallError);
    expect({ code: problem.code, message: problem.message }).toEqual(expected);
  });

  it("tells how long the server wants to be left alone", async () => {
    answers = [json(429, { error: "Slow down", code: "rate_limited" }, { "Retry-After": "7" })];
    expect(await failure(calls.startSession("x", META))).toMatchObject({ retryAfter: 7 });
  });

  it("waits for the first request when the same one is still being worked on", async () => {
    const busy = json(409, { error: "Busy", code: "request_in_progress" }, { "Retry-After": "2" });
    answers = [busy, busy, json(200, ANSWER)];
    expect(await calls.takeTurn("s-1", "Hello", "k")).toMatchObject({ turnCount: 1 });
    expect(asked.map((request) => request.headers.get("idempotency-key"))).toEqual(["k", "k", "k"]);
    expect(wait.mock.calls).toEqual([[2000], [2000]]);
  });

  it("does not wait for ever", async () => {
    answers = [json(409, { error: "Busy", code: "turn_in_progress" })];
    expect(await failure(calls.takeTurn("s-1", "Hello", "k"))).toMatchObject({ code: "turn_in_progress" });
    expect(asked.length).toBeLessThan(30);
  });
});

it("asks for the public key again after a failure, and only then", async () => {
  let reachable = false;
  let configs = 0;
  const door = openCalls({
    origin: ORIGIN,
    wait,
    fetch: async (input) => {
      if (String(input).endsWith("/config.json")) {
        configs++;
        if (!reachable) {
          throw new TypeError("fetch failed");
        }
        return json(200, { publicKey: "k" })();
      }
      return json(200, ANSWER)();
    },
  });
  expect(await failure(door.takeTurn("s", "a", "1"))).toMatchObject({ code: "network" });
  reachable = true;
  await door.takeTurn("s", "a", "1");
  await door.takeTurn("s", "b", "2");
  expect(configs).toBe(2);
});

const META = { width: 1, height: 1, language: "en", userAgent: "test" };

import { expect, it } from "vitest";
import { readEvents } from "./events";

const encoder = new TextEncoder();

function stream(pieces: string[], end: "closed" | "broken" | "hanging" = "closed"): Response {
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) {
          controller.enqueue(encoder.encode(piece));
        }
        if (end === "closed") {
          controller.close();
        }
        if (end === "broken") {
          controller.error(new TypeError("connection lost"));
        }
      },
    }),
  );
}

async function read(response: Response, patience = 1000) {
  const events: [string, unknown][] = [];
  await readEvents(response, patience, (name, data) => events.push([name, data]));
  return events;
}

it("reads events wherever the pieces are cut", async () => {
  const text = 'event: part\ndata: {"text":"Grüß"}\n\nevent: answer\ndata: {"n":1}\n\n';
  for (let cut = 0; cut <= text.length; cut++) {
    expect(await read(stream([text.slice(0, cut), text.slice(cut)]))).toEqual([
      ["part", { text: "Grüß" }],
      ["answer", { n: 1 }],
    ]);
  }
});

it("leaves out an event that has not ended", async () => {
  expect(await read(stream(['event: part\ndata: {"text":"a"}\n\nevent: ans']))).toHaveLength(1);
});

it("says so when the stream breaks or holds something else", async () => {
  await expect(read(stream([], "broken"))).rejects.toMatchObject({ code: "network" });
  await expect(read(stream(["event: part\ndata: {\n\n"]))).rejects.toMatchObject({ code: "unreadable" });
  await expect(read(new Response(null))).rejects.toMatchObject({ code: "unreadable" });
});

it("does not listen for ever", async () => {
  expect(await read(stream(['event: part\ndata: {"text":"a"}\n\n'], "hanging"), 20)).toHaveLength(1);
});

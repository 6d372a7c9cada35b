import { expect, test } from "vitest";
import { rememberDevice } from "./device";

test("the proof of one answer goes with the next call, and a newer one replaces it", async () => {
  const sent: (string | null)[] = [];
  const given = ["first", undefined, "second"];
  const send = rememberDevice(localStorage, async (_input, init) => {
    sent.push(new Headers(init?.headers).get("X-Simora-Device"));
    const proof = given.shift();
    return new Response("{}", proof ? { headers: { "X-Simora-Device": proof } } : {});
  });
  for (let i = 0; i < 4; i++) {
    await send("/auth/v1/token", { method: "POST", headers: { apikey: "x" } });
  }
  expect(sent).toEqual([null, "first", "first", "second"]);
});

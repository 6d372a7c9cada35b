const KEY = "simora-device";
const HEADER = "X-Simora-Device";

/**
 * Remembers the proof that this browser has signed in before. Who guesses an
 * owner's password elsewhere then does not slow the owner down.
 */
export function rememberDevice(storage: Storage, send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    const known = storage.getItem(KEY);
    if (known) {
      headers.set(HEADER, known);
    }
    const answer = await send(input, { ...init, headers });
    const given = answer.headers.get(HEADER);
    if (given) {
      storage.setItem(KEY, given);
    }
    return answer;
  };
}

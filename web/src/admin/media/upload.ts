import type { SupabaseClient } from "@supabase/supabase-js";
import * as v from "valibot";
import { readPublicKey } from "../../api/public-key";
import { ConsoleError } from "../client";

/** The size that the server takes. */
export const MAX_BYTES = 100 * 1024 * 1024;

const Refused = v.object({ message: v.string() });

/**
 * Uploads a file to the bucket, as the stock client would, but tells how far it
 * is and can be cancelled. Rejects with a ConsoleError.
 */
export async function upload(
  client: SupabaseClient,
  path: string,
  file: File,
  onProgress: (percent: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const key = await readPublicKey({ origin: location.origin, fetch: (input, init) => fetch(input, init) });
  const { data } = await client.auth.getSession();
  const body = new FormData();
  body.append("cacheControl", "3600");
  body.append("", file);
  await new Promise<void>((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/storage/v1/object/industry-media/${path}`);
    request.setRequestHeader("apikey", key);
    request.setRequestHeader("Authorization", `Bearer ${data.session?.access_token ?? key}`);
    request.setRequestHeader("x-upsert", "false");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) {
        onProgress(Math.round((100 * event.loaded) / event.total));
      }
    });
    request.addEventListener("load", () => {
      if (request.status === 200) {
        done();
        return;
      }
      failed(new ConsoleError(said(request.responseText), "refused"));
    });
    request.addEventListener("error", () => failed(new ConsoleError("The connection broke off. Try again.")));
    request.addEventListener("abort", () => failed(new ConsoleError("The upload was cancelled.", "cancelled")));
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

function said(text: string): string {
  try {
    const parsed = v.safeParse(Refused, JSON.parse(text));
    return parsed.success ? parsed.output.message : "The server refused the file.";
  } catch {
    return "The server refused the file.";
  }
}

/** `{industry}/{timestamp}_{random}.{ext}` */
export function pathFor(industry: string, file: File): string {
  const ending = (/\.([a-z0-9]{1,5})$/i.exec(file.name)?.[1] ?? "bin").toLowerCase();
  const random = Math.random().toString(36).slice(2, 10);
  return `${industry}/${Date.now()}_${random}.${ending}`;
}

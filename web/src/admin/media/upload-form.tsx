import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { toast } from "../../ui/toast";
import { ConsoleError, messageOf } from "../client";
import { useConsole } from "../context";
import { INDUSTRIES, INDUSTRY_NAME, type Industry, type Medium } from "../shapes";
import { MAX_BYTES, pathFor, upload } from "./upload";

interface UploadFormProps {
  media: readonly Medium[];
  onDone: () => void;
}

/** Takes a file into the gallery of an industry, at its end. */
export function UploadForm({ media, onDone }: UploadFormProps) {
  const { client } = useConsole();
  const form = useRef<HTMLFormElement>(null);
  const cancel = useRef<AbortController>(undefined);
  const [percent, setPercent] = useState(0);
  const add = useMutation({
    mutationFn: async ({ file, industry, caption }: { file: File; industry: Industry; caption: string }) => {
      const path = pathFor(industry, file);
      cancel.current = new AbortController();
      setPercent(0);
      await upload(client, path, file, setPercent, cancel.current.signal);
      const orders = media.filter((medium) => medium.industry === industry).map((medium) => medium.display_order);
      const { error } = await client.from("gallery_media").insert({
        file_name: file.name.slice(0, 255),
        file_path: path,
        file_type: file.type.startsWith("video/") ? "video" : "image",
        industry,
        caption: caption.trim() || null,
        display_order: orders.length === 0 ? 0 : Math.max(...orders) + 1,
      });
      if (error) {
        throw new ConsoleError(error.message, error.code);
      }
    },
    onSuccess: (_, { file }) => {
      toast({ title: "Media uploaded", text: `${file.name} is on the public page.` });
      form.current?.reset();
      onDone();
    },
    onError: (problem) =>
      problem instanceof ConsoleError && problem.code === "cancelled"
        ? toast({ title: "Upload cancelled", text: "Nothing was published." })
        : toast({ title: "Upload failed", text: messageOf(problem), destructive: true }),
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const file = fields.get("file");
    const industry = INDUSTRIES.find((known) => known === fields.get("industry"));
    if (!(file instanceof File) || file.size === 0 || !industry) {
      toast({ title: "Missing information", text: "Please select a file and industry", destructive: true });
      return;
    }
    if (file.size > MAX_BYTES) {
      toast({ title: "Upload failed", text: `${file.name} is larger than 100MB.`, destructive: true });
      return;
    }
    add.mutate({ file, industry, caption: String(fields.get("caption") ?? "") });
  }

  return (
    <form ref={form} className="a-panel a-upload" onSubmit={submit} aria-label="Upload">
      <div className="field">
        <label htmlFor="file">
          File <span className="field-optional">image or video, max 100MB</span>
        </label>
        <input
          id="file"
          name="file"
          type="file"
          accept="image/jpeg,image/png,image/gif,image/webp,image/avif,video/mp4,video/webm,video/quicktime,video/ogg"
        />
      </div>
      <div className="field">
        <label htmlFor="upload-industry">Industry</label>
        <select id="upload-industry" name="industry" defaultValue="">
          <option value="">Please choose</option>
          {INDUSTRIES.map((industry) => (
            <option key={industry} value={industry}>
              {INDUSTRY_NAME[industry]}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor="upload-caption">
          Caption <span className="field-optional">optional</span>
        </label>
        <input id="upload-caption" name="caption" maxLength={500} />
      </div>
      <button type="submit" className="btn btn-primary" disabled={add.isPending}>
        Upload
      </button>
      {add.isPending && (
        <div className="a-progress">
          <progress max={100} value={percent} aria-label="Upload progress" />
          <span>{percent}%</span>
          <button type="button" className="btn btn-outline" onClick={() => cancel.current?.abort()}>
            Cancel upload
          </button>
        </div>
      )}
    </form>
  );
}

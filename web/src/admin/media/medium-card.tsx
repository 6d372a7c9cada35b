import { useMutation, useQuery } from "@tanstack/react-query";
import { ArrowDown, ArrowUp } from "lucide-react";
import { useState } from "react";
import { galleryAddress, tileAddress } from "../../api/gallery";
import { toast } from "../../ui/toast";
import { ConsoleError, messageOf } from "../client";
import { useConsole, useIsAdmin } from "../context";
import type { Medium } from "../shapes";

interface MediumCardProps {
  medium: Medium;
  place: number;
  last: boolean;
  busy: boolean;
  onMove: (to: number) => void;
  /** Another medium of the industry was dropped here. */
  onDropped: (id: string) => void;
  onDelete: () => void;
  onChanged: () => void;
}

const CARRIED = "application/x-gallery-medium";

/** One picture or film, with its caption and its place. It can be dragged to another place too. */
export function MediumCard({ medium, place, last, busy, onMove, onDropped, onDelete, onChanged }: MediumCardProps) {
  const { client } = useConsole();
  const isAdmin = useIsAdmin();
  const [caption, setCaption] = useState(medium.caption ?? "");
  const name = medium.caption || medium.file_name;
  const { data: facts } = useQuery({
    queryKey: ["file", medium.file_path],
    queryFn: async () => {
      const { data, error } = await client.storage.from("industry-media").info(medium.file_path);
      return error ? "The file is missing. Delete this entry and upload it again." : described(data);
    },
    staleTime: Number.POSITIVE_INFINITY, // files are never overwritten
  });
  const save = useMutation({
    mutationFn: async () => {
      const { error } = await client
        .from("gallery_media")
        .update({ caption: caption.trim() || null })
        .eq("id", medium.id);
      if (error) {
        throw new ConsoleError(error.message, error.code);
      }
    },
    onSuccess: () => {
      toast(
        caption.trim()
          ? { title: "Caption updated", text: "The public page shows it." }
          : { title: "Caption removed", text: "The picture stands without words." },
      );
      onChanged();
    },
    onError: (problem) => toast({ title: "Error", text: messageOf(problem), destructive: true }),
  });
  return (
    <li
      draggable={isAdmin && !busy}
      onDragStart={(event) => event.dataTransfer.setData(CARRIED, medium.id)}
      onDragOver={(event) => event.dataTransfer.types.includes(CARRIED) && event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        const id = event.dataTransfer.getData(CARRIED);
        if (id && id !== medium.id) {
          onDropped(id);
        }
      }}
    >
      <div className="a-preview">
        {medium.file_type === "video" ? (
          // biome-ignore lint/a11y/useMediaCaption: what is uploaded has no caption track
          <video
            src={`${galleryAddress(medium.file_path)}#t=0.1`}
            controls
            preload="metadata"
            playsInline
            aria-label={name}
          />
        ) : (
          <img src={tileAddress(medium.file_path)} alt={name} loading="lazy" />
        )}
      </div>
      {isAdmin ? (
        <form
          className="a-caption"
          onSubmit={(event) => {
            event.preventDefault();
            save.mutate();
          }}
        >
          <label htmlFor={`caption-${medium.id}`}>Caption</label>
          <input
            id={`caption-${medium.id}`}
            value={caption}
            maxLength={500}
            onChange={(event) => setCaption(event.target.value)}
          />
          <button
            type="submit"
            className="btn btn-outline"
            disabled={caption.trim() === (medium.caption ?? "") || save.isPending}
          >
            Save
          </button>
        </form>
      ) : (
        medium.caption && <p>{medium.caption}</p>
      )}
      <p className="a-quiet a-file">
        {medium.file_name}
        {facts && <span>{facts}</span>}
      </p>
      {isAdmin && (
        <div className="row">
          <button
            type="button"
            className="btn btn-icon btn-outline"
            aria-label={`Move ${name} up`}
            disabled={place === 0 || busy}
            onClick={() => onMove(place - 1)}
          >
            <ArrowUp size={16} strokeWidth={1.75} />
          </button>
          <button
            type="button"
            className="btn btn-icon btn-outline"
            aria-label={`Move ${name} down`}
            disabled={last || busy}
            onClick={() => onMove(place + 1)}
          >
            <ArrowDown size={16} strokeWidth={1.75} />
          </button>
          <button type="button" className="btn btn-outline" aria-label={`Delete ${name}`} onClick={onDelete}>
            Delete
          </button>
        </div>
      )}
    </li>
  );
}

/** "1600 × 900, 240 kB" */
function described({ size = 0, metadata }: { size?: number; metadata?: Record<string, unknown> }): string {
  const bytes = size < 1_000_000 ? `${Math.ceil(size / 1000)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
  return metadata?.width ? `${metadata.width} × ${metadata.height}, ${bytes}` : bytes;
}

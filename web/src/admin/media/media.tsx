import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import * as v from "valibot";
import { toast } from "../../ui/toast";
import { ConsoleError, invoke, messageOf, understood } from "../client";
import { useConsole, useIsAdmin } from "../context";
import { Confirm } from "../frame/confirm";
import { Empty, Failed, Loading } from "../frame/states";
import { Done, INDUSTRIES, INDUSTRY_NAME, type Industry, Medium } from "../shapes";
import { MediumCard } from "./medium-card";
import { UploadForm } from "./upload-form";

export function MediaPage() {
  const { client } = useConsole();
  const isAdmin = useIsAdmin();
  const queries = useQueryClient();
  const [doomed, setDoomed] = useState<Medium>();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ["media"],
    queryFn: async () => {
      const { data: rows, error: problem } = await client
        .from("gallery_media")
        .select("*")
        .order("industry", { ascending: true })
        .order("display_order", { ascending: true });
      if (problem) {
        throw new ConsoleError(problem.message, problem.code);
      }
      return understood(v.array(Medium), rows);
    },
  });
  const reload = () => queries.invalidateQueries({ queryKey: ["media"] });
  const complain = (problem: unknown) => toast({ title: "Error", text: messageOf(problem), destructive: true });

  const arrange = useMutation({
    mutationFn: ({ industry, ids }: { industry: Industry; ids: string[] }) =>
      invoke(client, "admin-arrange-gallery", Done, { industry, ids }),
    onSuccess: () => toast({ title: "Display order updated", text: "The public page shows the new order." }),
    onError: complain,
    onSettled: reload,
  });
  const remove = useMutation({
    mutationFn: async (medium: Medium) => {
      const row = await client.from("gallery_media").delete().eq("id", medium.id);
      if (row.error) {
        throw new ConsoleError(row.error.message, row.error.code);
      }
      const file = await client.storage.from("industry-media").remove([medium.file_path]);
      if (file.error) {
        throw new ConsoleError(`It is off the page, but its file could not be removed: ${file.error.message}`);
      }
    },
    onSuccess: () => {
      toast({ title: "Media deleted", text: "It is off the public page." });
      setDoomed(undefined);
    },
    onError: complain,
    onSettled: reload,
  });

  function move(media: readonly Medium[], from: number, to: number) {
    const ids = media.map((medium) => medium.id);
    const [moved] = ids.splice(from, 1);
    if (moved !== undefined && media[0]) {
      ids.splice(to, 0, moved);
      arrange.mutate({ industry: media[0].industry, ids });
    }
  }

  return (
    <>
      <div className="a-head">
        <h1>Media Gallery</h1>
      </div>
      {isAdmin && <UploadForm media={data ?? []} onDone={() => void reload()} />}
      {isPending && <Loading />}
      {error && <Failed problem={error} again={() => void refetch()} />}
      {data &&
        INDUSTRIES.map((industry) => {
          const media = data.filter((medium) => medium.industry === industry);
          return (
            <section key={industry} className="a-panel" aria-labelledby={`media-${industry}`}>
              <div className="a-panel-head">
                <h2 id={`media-${industry}`}>{INDUSTRY_NAME[industry]}</h2>
                <span className="a-quiet">{media.length}</span>
              </div>
              {media.length === 0 ? (
                <Empty>Nothing is published. The public page shows drawings until then.</Empty>
              ) : (
                <ul className="a-media">
                  {media.map((medium, i) => (
                    <MediumCard
                      key={medium.id}
                      medium={medium}
                      place={i}
                      last={i === media.length - 1}
                      busy={arrange.isPending}
                      onMove={(to) => move(media, i, to)}
                      onDropped={(id) =>
                        move(
                          media,
                          media.findIndex((other) => other.id === id),
                          i,
                        )
                      }
                      onDelete={() => setDoomed(medium)}
                      onChanged={() => void reload()}
                    />
                  ))}
                </ul>
              )}
            </section>
          );
        })}
      {doomed && (
        <Confirm
          title="Delete this from the gallery?"
          text={`${doomed.file_name} is removed from the public page, and its file is deleted.`}
          action="Delete"
          busy={remove.isPending}
          onConfirm={() => remove.mutate(doomed)}
          onCancel={() => setDoomed(undefined)}
        />
      )}
    </>
  );
}

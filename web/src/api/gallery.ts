import * as v from "valibot";
import { CallError } from "./call-error";
import type { Surroundings } from "./calls";
import { readPublicKey } from "./public-key";
import { GalleryItem, understood } from "./shapes";

/** The industry's pictures and films in their order. Rejects with a CallError. */
export async function readGallery(
  around: Pick<Surroundings, "origin" | "fetch">,
  industry: string,
): Promise<GalleryItem[]> {
  const apikey = await readPublicKey(around);
  const query = new URLSearchParams({
    select: "id,file_path,file_type,caption",
    industry: `eq.${industry}`,
    order: "display_order.asc",
  });
  const response = await around
    .fetch(`${around.origin}/rest/v1/gallery_media?${query}`, {
      headers: { apikey, Authorization: `Bearer ${apikey}` },
    })
    .catch(() => {
      throw new CallError("network", "");
    });
  if (!response.ok) {
    throw new CallError("unreadable", "");
  }
  return understood(v.array(GalleryItem), await response.json().catch(() => undefined));
}

const encoded = (path: string) => path.split("/").map(encodeURIComponent).join("/");

/** Where a file of the gallery is. */
export const galleryAddress = (path: string) => `/storage/v1/object/public/industry-media/${encoded(path)}`;

/** Where a picture of the gallery is in the size of a tile. */
export const tileAddress = (path: string) => `/storage/v1/render/image/public/industry-media/${encoded(path)}`;

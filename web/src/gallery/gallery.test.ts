import { beforeEach, expect, test, vi } from "vitest";
import type { GalleryItem } from "../api/shapes";
import { fillGallery } from "./gallery";

const section = () => document.querySelector("section") as HTMLElement;
const items = () => [...document.querySelectorAll("[data-items] > li")];
const note = () => document.querySelector("[data-note]") as HTMLElement;

const image = (id: string, caption: string | null = null): GalleryItem => ({
  id,
  file_path: `healthcare/${id}.jpg`,
  file_type: "image",
  caption,
});

beforeEach(() => {
  document.body.innerHTML = `<section data-gallery="healthcare"><ul data-items><li>drawing</li></ul><p data-note></p></section>`;
});

test("what is published takes the drawings' place, in its order, with captions", async () => {
  const read = vi.fn(async () => [image("a", "The ward"), { ...image("b"), file_type: "video" as const }]);
  await fillGallery(section(), { read });
  expect(read).toHaveBeenCalledWith("healthcare");
  expect(items()).toHaveLength(2);
  expect(items()[0]?.querySelector("img")?.getAttribute("src")).toBe(
    "/storage/v1/render/image/public/industry-media/healthcare/a.jpg",
  );
  expect(items()[0]?.querySelector("img")?.alt).toBe("The ward");
  expect(items()[0]?.textContent).toContain("The ward");
  const video = items()[1]?.querySelector("video");
  expect(video?.controls).toBe(true);
  expect(video?.autoplay).toBe(false);
});

test("an empty gallery keeps the drawings and says so", async () => {
  await fillGallery(section(), { read: async () => [] });
  expect(items()[0]?.textContent).toBe("drawing");
  expect(note().textContent).toContain("No photos or films have been published here yet");
});

test("a failure can be tried again", async () => {
  const read = vi.fn(async (): Promise<GalleryItem[]> => [image("a")]);
  read.mockRejectedValueOnce(new Error("offline"));
  await fillGallery(section(), { read });
  expect(items()[0]?.textContent).toBe("drawing");
  note().querySelector("button")?.click();
  await new Promise((done) => setTimeout(done));
  expect(items()[0]?.querySelector("img")).not.toBeNull();
  expect(note().textContent).toBe("");
});

test("a picture opens large, arrow keys go round, Escape's close puts it away", async () => {
  await fillGallery(section(), { read: async () => [image("a", "One"), image("b", "Two")] });
  items()[1]?.querySelector("button")?.click();
  const dialog = document.querySelector("dialog") as HTMLDialogElement;
  const shown = () => dialog.querySelector("img")?.alt;
  expect(dialog.open).toBe(true);
  expect(shown()).toBe("Two");
  const press = (key: string) => dialog.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
  press("ArrowRight");
  expect(shown()).toBe("One");
  press("ArrowLeft");
  expect(shown()).toBe("Two");
  expect(dialog.textContent).toContain("2 of 2");
  dialog.close();
  expect(document.querySelector("dialog")).toBeNull();
});

/** Calls `act` once for each element, when the visitor comes within a screen of it. */
export function whenNear(elements: Iterable<HTMLElement>, act: (element: HTMLElement) => void): void {
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) {
          watch.unobserve(target);
          act(target as HTMLElement);
        }
      }
    },
    { rootMargin: "100% 0px" },
  );
  for (const element of elements) {
    watch.observe(element);
  }
}

/** Calls `act` once for each element, when the visitor comes within a screen of it, or as near as `margin` says. */
export function whenNear(
  elements: Iterable<HTMLElement>,
  act: (element: HTMLElement) => void,
  margin = "100% 0px",
): void {
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) {
          watch.unobserve(target);
          act(target as HTMLElement);
        }
      }
    },
    { rootMargin: margin },
  );
  for (const element of elements) {
    watch.observe(element);
  }
}

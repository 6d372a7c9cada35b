/**
 * Menus are `<details data-menu>`: they open without JavaScript. This adds what
 * people expect beside: one open at a time, closed by Escape (the focus goes
 * back), by a click elsewhere, by leaving with the keyboard, by following a link.
 */
export function mindMenus(page: Document): void {
  const menus = () => page.querySelectorAll<HTMLDetailsElement>("details[data-menu][open]");
  const closeAllBut = (inside: Node | null) => {
    for (const menu of menus()) {
      if (!menu.contains(inside)) {
        menu.open = false;
      }
    }
  };
  page.addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    closeAllBut(target?.closest("a, [commandfor]") ? null : target);
  });
  page.addEventListener("focusin", (event) => closeAllBut(event.target instanceof Node ? event.target : null));
  page.addEventListener("keydown", (event) => {
    const innermost = [...menus()].at(-1);
    if (event.key === "Escape" && innermost) {
      innermost.open = false;
      innermost.querySelector("summary")?.focus();
    }
  });
}

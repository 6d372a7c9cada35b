/** `?reason=demo` chooses the reason in the contact form; anything else is left to the visitor. */
export function preselectReason(page: Document, search: string): void {
  const wanted = new URLSearchParams(search).get("reason");
  const select = page.querySelector<HTMLSelectElement>("select[name=reason]");
  if (select && wanted && [...select.options].some((option) => option.value === wanted)) {
    select.value = wanted;
  }
}

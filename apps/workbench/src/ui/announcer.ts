/** Says something to screen readers. */
export function announce(text: string): void {
  const region = document.getElementById('announcer');
  if (!region) return;
  // A screen reader announces the same text again only if another text was there in between.
  region.textContent = '';
  setTimeout(() => (region.textContent = text), 50);
}

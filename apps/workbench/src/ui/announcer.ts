/** Says something to screen readers. */
export function announce(text: string): void {
  const region = document.getElementById('announcer');
  if (!region) return;
  // The same text again is announced only if it has changed in between.
  region.textContent = '';
  setTimeout(() => (region.textContent = text), 50);
}

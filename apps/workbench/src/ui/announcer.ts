/** How long a text is visible: enough to read a short sentence twice. */
const SHOWN_MS = 6000;
let hiding: ReturnType<typeof setTimeout> | undefined;

/** Shows a text for a few seconds. Screen readers read it aloud. */
export function announce(text: string): void {
  const region = document.getElementById('announcer');
  if (!region) return;
  // Clear the text first, because a screen reader announces the same text only once.
  region.textContent = '';
  clearTimeout(hiding);
  hiding = setTimeout(() => {
    region.textContent = text;
    hiding = setTimeout(() => (region.textContent = ''), SHOWN_MS);
  }, 50);
}

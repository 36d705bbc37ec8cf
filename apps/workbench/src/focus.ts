/**
 * Focuses an element. If the element disappears, focuses the heading of the screen, so that screen readers keep their
 * position. Ends when the person focuses something else.
 */
export function focusOrHeading(element: HTMLElement | null): void {
  let target = element;
  const watch = new MutationObserver(() => {
    const { activeElement, body } = document;
    const isLost = activeElement === body && (target === null || target === body || !target.isConnected);
    const hasMoved = activeElement !== body && activeElement !== target;
    if (hasMoved) watch.disconnect();
    if (!isLost) return;
    const heading = document.querySelector<HTMLElement>('main h1');
    if (heading) target = heading;
    heading?.focus({ preventScroll: true });
  });
  watch.observe(document.body, { childList: true, subtree: true });
  element?.focus({ preventScroll: element.matches('h1') });
}

import type { ServerResponse } from 'node:http';

const works = new WeakMap<ServerResponse, (() => void)[]>();

/**
 * Runs `work` when a response closes, or at once if it has closed. All callbacks of a response share one listener,
 * because Node warns of a leak when there are more than ten.
 */
export function onClosed(response: ServerResponse, work: () => void): void {
  if (response.closed) return work();
  const known = works.get(response);
  if (known) {
    known.push(work);
    return;
  }
  const all = [work];
  works.set(response, all);
  response.once('close', () => {
    for (const each of all) each();
  });
}

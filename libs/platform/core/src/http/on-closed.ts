import type { ServerResponse } from 'node:http';

const works = new WeakMap<ServerResponse, (() => void)[]>();

/** Runs `work` once a response is closed. All works of a response share one listener, as Node takes more than ten for a leak. */
export function onClosed(response: ServerResponse, work: () => void): void {
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

import { etagOf, PreconditionFailed } from '@passwright/client';
import type { Session } from '../api/session.js';
import { replacement } from '../model/replacement.js';
import type { Body } from '../model/template.js';
import { messageOf } from '../ui/errors.js';

/** The number of passes that are changed at the same time. */
const LANES = 4;
const MOST_TRIES = 3;

/** A text to replace on all passes of a template. */
export interface Work {
  readonly session: Session;
  readonly templateId: string;
  readonly find: string;
  readonly by: string;
}

/** The passes that contain the text, and the first of them as an example. */
export interface Found {
  readonly ids: readonly string[];
  readonly read: number;
  readonly example: { readonly before: Body; readonly after: Body } | null;
}

/** The passes that were changed, and those that could not be. */
export interface Outcome {
  readonly changed: number;
  readonly failures: readonly { readonly id: string; readonly message: string }[];
}

/** Reads all passes of a template, and returns those that contain the text. */
export async function passesWith(
  { session, templateId, find, by }: Work,
  onProgress: (text: string) => void,
  signal: AbortSignal,
): Promise<Found> {
  const ids: string[] = [];
  let [read, example]: [number, Found['example']] = [0, null];
  for await (const pass of session.api.each('listPasses', { templateId, limit: 100, signal })) {
    const body = pass as unknown as Body;
    const patch = replacement(body, find, by);
    read += 1;
    if (read % 100 === 0) onProgress(`${read} passes read`);
    if (!patch) continue;
    ids.push(pass.id);
    const before = Object.fromEntries(Object.keys(patch).map((name) => [name, body[name]]));
    example ??= { before, after: patch };
  }
  return { ids, read, example };
}

/** Changes passes, a few at a time. Continues after a pass that fails. */
export async function changeAll(
  work: Work,
  ids: readonly string[],
  onProgress: (text: string) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  const waiting = [...ids];
  const failures: { id: string; message: string }[] = [];
  let done = 0;
  const lane = async () => {
    for (let id = waiting.shift(); id !== undefined && !signal.aborted; id = waiting.shift()) {
      try {
        await changeOne(work, id, signal);
      } catch (error) {
        failures.push({ id, message: messageOf(error) });
      }
      done += 1;
      onProgress(`${done} of ${ids.length} done`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return { changed: done - failures.length, failures };
}

/** Reads the current pass before the change, so that no other change of its fields is lost. */
async function changeOne({ session, templateId, find, by }: Work, passId: string, signal: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const current = await session.api.getPass({ templateId, passId, signal });
    const patch = replacement(current.pass as unknown as Body, find, by);
    if (!patch) return;
    try {
      await session.api.updatePass({ templateId, passId, body: patch, ifMatch: etagOf(current), signal });
      return;
    } catch (error) {
      if (!(error instanceof PreconditionFailed) || tries === MOST_TRIES) throw error;
    }
  }
}

import { Job } from './job.js';
import { payloadHash } from './queue.js';

/**
 * Units of work that may crash their process. One job runs them while its process does nothing else. If the process
 * dies, two jobs with half of the units each replace it, until a single unit remains, which is set aside.
 */
export abstract class SuspectWork<Owner extends object = object> extends Job<
  Owner & { readonly ids: readonly string[] }
> {
  static readonly lane = 'alone';
  override readonly key = payloadHash(this.payload);
}

/** Returns the payloads of the two halves of `SuspectWork`; an empty list for other work or a single unit. */
export function halvesOf(payload: unknown): object[] {
  const { ids } = payload as { readonly ids?: unknown };
  if (!Array.isArray(ids) || ids.length < 2) return [];
  const middle = Math.ceil(ids.length / 2);
  return [ids.slice(0, middle), ids.slice(middle)].map((half) => ({ ...(payload as object), ids: half as unknown[] }));
}

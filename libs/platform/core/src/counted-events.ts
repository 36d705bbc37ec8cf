import { channel } from 'node:diagnostics_channel';
import type { PushOutcome } from './providers/apple-push.js';
import type { GoogleOutcome } from './providers/google-wallet.js';

/** The counted events and their labels. Labels have few values and never name a person or a tenant. */
export interface Counts {
  readonly apple_pushes: { readonly outcome: PushOutcome };
  readonly google_writes: { readonly outcome: GoogleOutcome };
  readonly webhook_deliveries: { readonly outcome: 'delivered' | 'failed' };
  /** Reads that a standby may serve, by the server that served them. */
  readonly replica_reads: { readonly server: 'replica' | 'primary' };
  /** Calls of the image storage that failed after all attempts. */
  readonly storage_failures: Readonly<Record<string, never>>;
  /** Jobs that failed on their last attempt. */
  readonly failed_jobs: { readonly task: string };
}

/** An event to count. */
export type Counted = { [Name in keyof Counts]: { readonly name: Name; readonly labels: Counts[Name] } }[keyof Counts];

const counts = channel('passwright:counted');

/** Reports an event to the listeners in this process. Costs nothing without listeners. */
export function counted<Name extends keyof Counts>(name: Name, labels: Counts[Name]): void {
  if (counts.hasSubscribers) counts.publish({ name, labels });
}

/** Calls `listener` for each event that `counted` reports. @returns a function that unsubscribes */
export function onCounted(listener: (event: Counted) => void): () => void {
  const receive = (event: unknown) => listener(event as Counted);
  counts.subscribe(receive);
  return () => void counts.unsubscribe(receive);
}

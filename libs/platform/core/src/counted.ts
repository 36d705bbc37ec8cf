import { channel } from 'node:diagnostics_channel';
import type { PushOutcome } from './providers/apple-push.js';
import type { GoogleOutcome } from './providers/google-wallet.js';

/** What is counted, each with what it is told apart by: few values, none of which names a person or a tenant. */
export interface Counts {
  readonly apple_pushes: { readonly outcome: PushOutcome };
  readonly google_writes: { readonly outcome: GoogleOutcome };
  readonly webhook_deliveries: { readonly outcome: 'delivered' | 'failed' };
  /** Jobs given up after their last attempt. */
  readonly failed_jobs: { readonly task: string };
}

/** One of the things that are counted. */
export type Counted = { [Name in keyof Counts]: { readonly name: Name; readonly labels: Counts[Name] } }[keyof Counts];

const counts = channel('passwright:counted');

/** Tells that something has happened, to whoever counts it in this process. Costs nothing when nobody does. */
export function counted<Name extends keyof Counts>(name: Name, labels: Counts[Name]): void {
  if (counts.hasSubscribers) counts.publish({ name, labels });
}

/** Calls `listener` at each `counted`. @returns what ends that */
export function onCounted(listener: (event: Counted) => void): () => void {
  const receive = (event: unknown) => listener(event as Counted);
  counts.subscribe(receive);
  return () => void counts.unsubscribe(receive);
}

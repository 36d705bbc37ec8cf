import type { PassSerial } from '@passwright/passes';
import type { LockedMessages } from '../messages/change-messages.js';
import type { MessageChanges } from '../messages/google-messages.js';
import type { GoogleResourceRow } from './google-resource.entity.js';

/** The primary key of a resource. */
export type ResourceKey = Pick<GoogleResourceRow, 'accountId' | 'issuerId' | 'id'>;

/** The columns of a row at its creation, which happens at the first request for a link. */
export type NewResource = ResourceKey & Pick<GoogleResourceRow, 'templateId' | 'type' | 'serialNumber'>;

/** A resource that only this node may write until its lease ends. */
export type ClaimedResource = NewResource &
  Pick<
    GoogleResourceRow,
    'sentHash' | 'changes' | 'failures' | 'messages' | 'openClaims' | 'isLinked' | 'notifiedRevision'
  > & {
    readonly leasedUntil: Date;
  };

/** An object that a transaction has marked as changed and locked. */
export interface MarkedObject extends LockedMessages, Omit<ResourceKey, 'accountId'> {
  readonly serialNumber: string;
  readonly isAtGoogle: boolean;
}

/** A due resource of an issuer that the account no longer uses. */
export interface LeftResource {
  readonly issuerId: string;
  readonly id: string;
  /** How often the resource was changed. */
  readonly changes: number;
  /** The serial number of the pass; null for a class. */
  readonly serialNumber: string | null;
  /** The ids of the waiting messages. */
  readonly waiting: readonly string[];
}

/** The progress of a resource. */
export type ResourceState = ResourceKey &
  Pick<GoogleResourceRow, 'sentHash' | 'leasedUntil' | 'dueAt' | 'failures' | 'rejected' | 'isLinked'>;

/** The result of writing a claimed resource. `sentHash` is absent if the write did not change the content at Google. */
export interface ResourceOutcome extends ResourceKey, Pick<ClaimedResource, 'changes' | 'leasedUntil'> {
  readonly sentHash: Buffer | null;
  readonly failures: number;
  readonly problem: string | null;
  readonly problemStatus: number | null;
  readonly rejected: boolean;
  /** When to try again; null if nothing is left to send. */
  readonly dueAt: Date | null;
  /** The changes of stored messages; null if there are none. */
  readonly messages: MessageChanges | null;
  /** The template revision that the holders know after the write; null if it has not changed. */
  readonly notifiedRevision: number | null;
}

/**
 * Returns true for the class of an event if its content at Google is known (its hash is not empty). Google itself
 * notifies holders of changed event details.
 */
export function isKnownEvent({ type, serialNumber, sentHash }: ClaimedResource): boolean {
  return type === 'event' && serialNumber === null && sentHash !== null && sentHash.length > 0;
}

/** Returns true for a resource whose write may notify holders. */
export function mayNotify(resource: ClaimedResource): boolean {
  return resource.messages !== null || isKnownEvent(resource);
}

/** Returns the columns of the keys of passes: the accounts, and the serial numbers. */
export function serialsOf(passes: readonly PassSerial[]): [string[], string[]] {
  return [passes.map(({ accountId }) => accountId), passes.map(({ serialNumber }) => serialNumber)];
}

import type { LockedMessages } from '../messages/change-messages.js';
import type { MessageChanges } from '../messages/google-messages.js';
import type { GoogleResourceRow } from './google-resource.entity.js';

/** The key of a resource. */
export type ResourceKey = Pick<GoogleResourceRow, 'accountId' | 'issuerId' | 'id'>;

/** The columns that a row gets when it is created, at the first request for a link. */
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

/** A due resource of an issuer that the account has left. */
export interface LeftResource {
  readonly issuerId: string;
  readonly id: string;
  /** The number of changes of the resource. */
  readonly changes: number;
  /** The serial number of the pass; null for a class. */
  readonly serialNumber: string | null;
  /** The ids of the messages that waited. */
  readonly waiting: readonly string[];
}

/** The progress of a resource. */
export type ResourceState = ResourceKey &
  Pick<GoogleResourceRow, 'sentHash' | 'leasedUntil' | 'dueAt' | 'failures' | 'rejected' | 'isLinked'>;

/** The result of a claimed resource. Without `sentHash` the content at Google is unchanged. */
export interface ResourceOutcome extends ResourceKey, Pick<ClaimedResource, 'changes' | 'leasedUntil'> {
  readonly sentHash: Buffer | null;
  readonly failures: number;
  readonly problem: string | null;
  readonly problemStatus: number | null;
  readonly rejected: boolean;
  /** When to try again; null if nothing is left to send. */
  readonly dueAt: Date | null;
  /** Null if no message changes. */
  readonly messages: MessageChanges | null;
  /** The revision of the template that the holders know now; null if it is the same as before. */
  readonly notifiedRevision: number | null;
}

/**
 * Returns true for the class of an event whose content at Google is known. Google itself notifies holders if the write
 * changes details of the event. An empty hash means that the content is unknown, so perhaps no detail changes.
 */
export function isKnownEvent({ type, serialNumber, sentHash }: ClaimedResource): boolean {
  return type === 'event' && serialNumber === null && sentHash !== null && sentHash.length > 0;
}

/** Returns true for a resource whose write may notify holders. */
export function mayNotify(resource: ClaimedResource): boolean {
  return resource.messages !== null || isKnownEvent(resource);
}

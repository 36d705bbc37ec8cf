import { Injectable, Logger } from '@nestjs/common';
import {
  Clock,
  counted,
  type GoogleResult,
  type GoogleOutcome,
  type GoogleUrgency,
  GoogleWallet,
  loggedError,
} from '@passwright/core';
import { releaseTimeAfter, RetryPolicy } from '@passwright/jobs';
import { GoogleMessageEndings } from '../messages/google-message-endings.service.js';
import type { EndedMessage } from '../messages/google-message.listener.js';
import { type MessagePlan, planMessages } from '../messages/google-messages.js';
import { endingsOf } from '../messages/message-endings.js';
import { changesAfter, messageWrite } from '../messages/message-writes.js';
import { type GoogleContent, GoogleContentRepository } from './google-content.repository.js';
import { classIdOf } from './google-ids.js';
import { GoogleLinkedObjects } from './google-linked-objects.service.js';
import { type CurrentPart, GoogleRenderingService } from './google-rendering.service.js';
import { type ClaimedResource, isKnownEvent, type ResourceKey, type ResourceOutcome } from './google-resource.js';
import { GoogleResourcesRepository } from './google-resources.repository.js';
import { MessagePreparation } from './message-preparation.service.js';

/** The retry policy after a temporary failure. */
const retries = RetryPolicy.exponential({ firstSeconds: 4, longestSeconds: 3600 });
/** The faster retry policy for a resource that was never written, because its holder may be waiting for it. */
const firstRetries = RetryPolicy.exponential({ firstSeconds: 4, longestSeconds: 8 });
/** The retry policy after a rejection, because a missing image may be available later. */
const rejectedRetries = RetryPolicy.exponential({ firstSeconds: 3600, longestSeconds: 24 * 3600 });
/** The pause in seconds before an object is written again after Google has lost its class. */
const lostClassSeconds = 2;

/** The result for an object that is not written, because its class is not at Google yet. */
const classFirst: GoogleResult = {
  outcome: 'retry',
  status: null,
  reason: 'Its class is not at Google yet',
  retryAfterSeconds: null,
  hasUsers: null,
};

const cannotBeRendered: GoogleResult = { ...classFirst, outcome: 'rejected', reason: 'It cannot be rendered' };

/**
 * A resource with the content that Google should have. The content is null if there is nothing to show or if it cannot
 * be rendered.
 */
interface Rendered {
  readonly current: CurrentPart | null;
  readonly messages: MessagePlan;
  /** The end of the current quiet hours; null outside of quiet hours. */
  readonly quietUntil: Date | null;
  readonly failure: GoogleResult | null;
}

const noMessages: MessagePlan = {
  next: null,
  shown: [],
  removed: [],
  hasMore: false,
  isHeld: false,
  mustLook: false,
};

/** The results of several writes. */
export interface Written {
  /** The error from Google if it rejected the credential; otherwise null. */
  readonly rejection: string | null;
  /** The outcomes of the writes. */
  readonly outcomes: ReadonlySet<GoogleOutcome>;
  /** True if some resources are due again immediately, because they changed during the write. */
  readonly leftDue: boolean;
  /** When the first failed write should be retried. */
  readonly nextTry: Date | null;
}

/** Writes claimed resources of one account and ends their leases. */
@Injectable()
export class GoogleWriter {
  private readonly logger = new Logger('GoogleWallet');

  constructor(
    private readonly google: GoogleWallet,
    private readonly contents: GoogleContentRepository,
    private readonly parts: GoogleRenderingService,
    private readonly resources: GoogleResourcesRepository,
    private readonly linked: GoogleLinkedObjects,
    private readonly preparation: MessagePreparation,
    private readonly endings: GoogleMessageEndings,
    private readonly clock: Clock,
  ) {}

  /** Writes all claimed resources simultaneously. Skips resources whose current content Google already has. */
  async write(accountId: string, claimed: readonly ClaimedResource[], urgency: GoogleUrgency): Promise<Written> {
    try {
      return await this.writeAll(accountId, claimed, urgency);
    } catch (error) {
      this.resources.release(claimed, releaseTimeAfter(error, this.clock.now()));
      throw error;
    }
  }

  private async writeAll(
    accountId: string,
    claimed: readonly ClaimedResource[],
    urgency: GoogleUrgency,
  ): Promise<Written> {
    const content = await this.contents.read(accountId, claimed);
    await this.linked.request(content, claimed);
    const absent = await this.absentClasses(claimed);
    const { prepared, quietUntil } = await this.preparation.prepare(accountId, claimed, content);
    const written = await allSettled(
      prepared.map(async (resource) => {
        const rendered = this.rendered(resource, content, quietUntil);
        const early = rendered.failure ?? (absent.has(classOf(resource).id) ? classFirst : null);
        const result = early ?? (await this.writeOne(resource, rendered, urgency));
        if (result?.outcome === 'no_class') await this.resources.forgetSent(classOf(resource), this.clock.now());
        const settled = this.settled(resource, rendered, result);
        return { result, ended: this.endedMessages(resource, rendered, settled), ...settled };
      }),
    );
    const fresh = claimed.filter(({ sentHash }, at) => sentHash === null && written[at]?.result?.outcome === 'stored');
    await this.endings.report(written.flatMap(({ ended }) => ended));
    const tries = written.flatMap(({ dueAt }) => dueAt?.getTime() ?? []);
    return {
      rejection: written.find(({ result }) => result?.outcome === 'credential_rejected')?.problem ?? null,
      outcomes: new Set(written.flatMap(({ result }) => result?.outcome ?? [])),
      leftDue: await this.resources.record(written, this.clock.now(), (tx) => this.linked.stored(tx, content, fresh)),
      nextTry: tries.length > 0 ? new Date(Math.min(...tries)) : null,
    };
  }

  /**
   * Returns the classes of new objects that Google does not have yet. Google would reject an object without its class.
   */
  private async absentClasses(claimed: readonly ClaimedResource[]): Promise<ReadonlySet<string>> {
    const fresh = claimed.filter(({ serialNumber, sentHash }) => serialNumber !== null && sentHash === null);
    const [owner] = fresh;
    if (!owner) return new Set();
    const ids = [...new Set(fresh.map((resource) => classOf(resource).id))];
    const found = await this.resources.find(owner, ids);
    return new Set(found.filter(({ sentHash }) => sentHash === null).map(({ id }) => id));
  }

  /** Renders a resource. If this fails, logs the error, so that other resources are still written. */
  private rendered(resource: ClaimedResource, content: GoogleContent, quietUntil: Date | null): Rendered {
    try {
      const current = this.parts.current(resource, content);
      const isDeleted = !current || !content.passes.has(resource.serialNumber ?? '');
      const active = current?.part.body.state === 'ACTIVE' ? 'active' : 'inactive';
      const messages = this.messagesOf(resource, isDeleted ? 'deleted' : active, quietUntil);
      return { current, messages, quietUntil, failure: null };
    } catch (error) {
      this.logger.error({ err: loggedError(error) });
      return { current: null, messages: noMessages, quietUntil, failure: cannotBeRendered };
    }
  }

  private messagesOf(
    { messages, openClaims }: ClaimedResource,
    state: 'active' | 'inactive' | 'deleted',
    quietUntil: Date | null,
  ): MessagePlan {
    if (!messages) return noMessages;
    const time = { now: this.clock.now(), isQuiet: quietUntil !== null, mayBeSent: openClaims > 1 };
    return planMessages(messages, state, time);
  }

  /** Writes one resource. Returns null if there was nothing to send. */
  private async writeOne(
    resource: ClaimedResource,
    { current, messages, quietUntil }: Rendered,
    urgency: GoogleUrgency,
  ): Promise<GoogleResult | null> {
    const { accountId, sentHash } = resource;
    const { inBody, ...added } = messageWrite(resource, messages, this.clock.now());
    if (!current || (sentHash !== null && current.hash.equals(sentHash) && !added.message && !messages.mustLook))
      return null;
    const body = {
      ...current.part.body,
      ...(inBody.length > 0 && { messages: inBody }),
      ...(isKnownEvent(resource) && !quietUntil && { notifyPreference: 'NOTIFY_ON_UPDATE' }),
    };
    const part = { ...current.part, body, exists: sentHash !== null, ...added };
    const result = await this.google.write(accountId, part, urgency);
    counted('google_writes', { outcome: result.outcome });
    return result;
  }

  private endedMessages(
    { accountId, serialNumber, messages }: ClaimedResource,
    { messages: { next } }: Rendered,
    { messages: changes }: ResourceOutcome,
  ): EndedMessage[] {
    if (!messages || serialNumber === null) return [];
    const endings = endingsOf(messages, changes, next?.id ?? null, this.clock.now());
    return endings.map((ending) => ({ accountId, serialNumber, ...ending }));
  }

  private settled(
    resource: ClaimedResource,
    { current, messages, quietUntil }: Rendered,
    result: GoogleResult | null,
  ): ResourceOutcome {
    const { accountId, issuerId, id, changes, leasedUntil } = resource;
    const key = { accountId, issuerId, id, changes, leasedUntil };
    const done = {
      ...key,
      failures: 0,
      problem: null,
      problemStatus: null,
      rejected: false,
      dueAt: messages.hasMore ? this.clock.now() : messages.isHeld ? quietUntil : null,
      messages: changesAfter(resource, messages, result, this.clock.now()),
      notifiedRevision: resource.notifiedRevision,
    };
    if (!result) return { ...done, sentHash: null };
    if (result.outcome === 'stored') return { ...done, sentHash: current?.hash ?? null };
    if (result.outcome === 'found') return { ...done, sentHash: null, dueAt: this.clock.now() };
    const { status: problemStatus, reason: problem } = result;
    const failures = resource.failures + 1;
    const left = { ...done, sentHash: null, notifiedRevision: null, problem, problemStatus };
    if (result.outcome === 'rejected')
      return { ...left, failures, rejected: true, dueAt: this.nextTry(resource, result) };
    // The credential is at fault, so the resource keeps its position in the queue.
    if (result.outcome === 'credential_rejected' || result.outcome === 'off') {
      return { ...left, failures: resource.failures, dueAt: this.clock.now() };
    }
    return { ...left, failures, dueAt: this.nextTry(resource, result) };
  }

  private nextTry({ failures, sentHash }: ClaimedResource, { outcome, retryAfterSeconds }: GoogleResult): Date {
    const notStored = sentHash === null ? firstRetries : retries;
    const policy = outcome === 'rejected' ? rejectedRetries : notStored;
    const isClassLost = outcome === 'no_class' && failures < 3;
    const seconds = isClassLost
      ? Math.max(lostClassSeconds, retryAfterSeconds ?? 0)
      : policy.pauseSeconds(failures + 1, retryAfterSeconds);
    return new Date(this.clock.now().getTime() + seconds * 1000);
  }
}

/** Waits for all writes, even if one fails, because no other process may write a resource meanwhile. */
async function allSettled<T>(writes: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(writes);
  return Promise.all(writes);
}

function classOf({ accountId, issuerId, templateId, type }: ClaimedResource): ResourceKey {
  return { accountId, issuerId, id: classIdOf(accountId, templateId, type) };
}

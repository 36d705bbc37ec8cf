import { Injectable, Logger } from '@nestjs/common';
import { Clock, type GoogleIdentity, GoogleWallet, loggedError, WalletUnavailable } from '@passwright/core';
import { Database } from '@passwright/database';
import {
  type JobContext,
  JobHandler,
  Jobs,
  OutboundRunner,
  type SliceEnd,
  type TimeSlice,
  type TurnEnd,
} from '@passwright/jobs';
import { GoogleMessageEndings } from '../messages/google-message-endings.service.js';
import { GoogleCircuitBreaker } from './google-circuit-breaker.js';
import type { LeftResource, ResourceKey } from './google-resource.js';
import { GoogleResourcesRepository } from './google-resources.repository.js';
import { GoogleWriter } from './google-writer.service.js';
import { GoogleResourcesDue, SuspectGoogleResources } from './google.jobs.js';

/** Maximum number of simultaneous writes per node. More writes would only wait for the quota. */
const underWay = 40;
/** Maximum number of accounts that are served simultaneously. */
const accountsAtOnce = 4;
/** A job starts no time slice after this time in milliseconds. Another job does the remaining work. */
const sliceMs = 10_000;
/**
 * Maximum number of resources of a former issuer that one transaction removes from the queue, each with up to 50
 * messages.
 */
const droppedAtOnce = 500;

const nothing: TurnEnd = { hasMore: false, nextAt: null };

/** Thrown to roll back a transaction that could not remove all resources from the queue. */
class SomeChanged extends Error {
  constructor(readonly unchanged: readonly Omit<ResourceKey, 'accountId'>[]) {
    super('Some resources have changed meanwhile.');
  }
}

/**
 * Sends changed classes and objects to Google. Alternates between accounts in time slices, so that a change of a
 * million passes does not delay other accounts. Each node runs one job at a time.
 */
@Injectable()
export class GoogleSender {
  private readonly logger = new Logger('GoogleWallet');
  private readonly runner: OutboundRunner<string>;

  constructor(
    private readonly resources: GoogleResourcesRepository,
    private readonly writer: GoogleWriter,
    private readonly breaker: GoogleCircuitBreaker,
    private readonly google: GoogleWallet,
    private readonly endings: GoogleMessageEndings,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {
    this.runner = new OutboundRunner({
      atOnce: accountsAtOnce,
      sliceMs,
      clock,
      idOf: (accountId) => accountId,
      pageAfter: (accountId) => resources.accountsWaiting(accountId ?? '', 100),
      serve: (accountId, slice) => this.serve(accountId, slice),
      onError: (error) => this.logger.error({ err: loggedError(error) }),
    });
  }

  @JobHandler(GoogleResourcesDue)
  send(_payload: GoogleResourcesDue['payload'], context: JobContext): Promise<void> {
    return this.sendAllDue(context);
  }

  /** Writes the due resources of all accounts to Google. */
  async sendAllDue({ signal }: JobContext): Promise<void> {
    const end = await this.runner.run(signal, (scheduler) => scheduler.lookAgain());
    if (end) await this.leaveTheRest(end);
  }

  /**
   * Writes resources that are suspected of crashing processes. Releases them for a later claim if they cannot be
   * written now.
   */
  @JobHandler(SuspectGoogleResources)
  async sendAlone({ ids, ...owner }: SuspectGoogleResources['payload']): Promise<void> {
    const identity = await this.usableIdentity(owner.accountId);
    const isClosed = identity?.issuerId === owner.issuerId && (await this.breaker.stateOf(identity)) === 'closed';
    if (!isClosed) return this.resources.giveBack(owner, ids, this.clock.now());
    let left = ids;
    while (left.length > 0) {
      // The first call claims the classes, and the next call claims the objects.
      const claimed = await this.resources.claimThese(owner, left, this.clock.now());
      if (claimed.length === 0) return;
      await this.writer.write(owner.accountId, claimed, 'background');
      left = left.filter((id) => !claimed.some((resource) => resource.id === id));
    }
  }

  private async serve(accountId: string, slice: TimeSlice): Promise<TurnEnd> {
    const identity = await this.usableIdentity(accountId);
    if (!identity) return nothing;
    const state = await this.breaker.stateOf(identity);
    if (state === 'open') return nothing;
    const owner = { accountId, issuerId: identity.issuerId };
    const limit = state === 'half-open' ? 1 : Math.ceil(underWay / slice.busy);
    const claimed = await this.resources.claimDue(owner, limit, this.clock.now());
    if (claimed.length === 0) return { hasMore: await this.dropLeft(owner), nextAt: null };
    const { rejection, outcomes, nextTry } = await this.writer.write(accountId, claimed, 'background');
    if (rejection !== null || state === 'half-open')
      await this.breaker.note(identity, rejection, outcomes.has('stored'));
    return { hasMore: rejection === null, nextAt: nextTry };
  }

  /**
   * Removes a batch of resources of former issuers from the queue.
   * @returns true if there may be more
   */
  private async dropLeft(owner: { readonly accountId: string; readonly issuerId: string }): Promise<boolean> {
    const left = await this.resources.findLeft(owner, droppedAtOnce);
    // Leave resources that have changed meanwhile, because the account may use their issuer again.
    for (let tried: readonly LeftResource[] = left; tried.length > 0;) tried = await this.drop(owner.accountId, tried);
    return left.length === droppedAtOnce;
  }

  /**
   * Removes resources from the queue and reports their messages. Does neither if some resources have changed meanwhile.
   * Reports the messages first, because other code also locks messages before resources.
   * @returns an empty list after a removal; otherwise the resources that have not changed
   */
  private async drop(accountId: string, left: readonly LeftResource[]): Promise<readonly LeftResource[]> {
    const ended = left.flatMap(({ serialNumber, waiting }) =>
      serialNumber === null
        ? []
        : waiting.map((messageId) => ({ accountId, serialNumber, messageId, outcome: 'not_at_google' as const })),
    );
    try {
      await this.database.transaction(async (tx) => {
        await this.endings.reportIn(tx, ended);
        const cleared = await this.resources.clearLeft(tx, accountId, left);
        if (cleared.length < left.length) throw new SomeChanged(cleared);
      });
      return [];
    } catch (error) {
      if (!(error instanceof SomeChanged)) throw error;
      const unchanged = new Set(error.unchanged.map(({ issuerId, id }) => `${issuerId}.${id}`));
      return left.filter(({ issuerId, id }) => unchanged.has(`${issuerId}.${id}`));
    }
  }

  private async usableIdentity(accountId: string): Promise<GoogleIdentity | null> {
    try {
      const identity = await this.google.identity(accountId);
      return identity.development ? null : identity;
    } catch (error) {
      if (error instanceof WalletUnavailable) return null;
      throw error;
    }
  }

  /**
   * Adds a job for the remaining work of all accounts. It runs immediately if this job ran out of time, or else at the
   * first planned time.
   */
  private async leaveTheRest({ isCut, left }: SliceEnd<string>): Promise<void> {
    const [first] = [...left].sort((a, b) => (a.at?.getTime() ?? 0) - (b.at?.getTime() ?? 0));
    if (!isCut && !first) return;
    const rest = { accountId: first?.key ?? '' };
    const job = new GoogleResourcesDue(rest, isCut ? undefined : (first?.at ?? undefined));
    await this.database.transaction((tx) => this.jobs.add(tx, job));
  }
}

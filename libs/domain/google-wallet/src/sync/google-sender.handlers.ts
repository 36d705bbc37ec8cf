import { Injectable, Logger } from '@nestjs/common';
import { Clock, type GoogleIdentity, GoogleWallet, loggedError, WalletUnavailable, Scheduled } from '@passwright/core';
import { Database } from '@passwright/database';
import { type JobContext, JobHandler, Jobs } from '@passwright/jobs';
import { GoogleCircuitBreaker } from './google-circuit-breaker.js';
import { GoogleResourcesRepository } from './google-resources.repository.js';
import { GoogleWriter } from './google-writer.service.js';
import { GoogleResourcesDue, SuspectGoogleResources } from './google.jobs.js';
import { SenderRun } from './sender-run.js';

/** So many writes a node has under way; more would only wait for the quota. */
const underWay = 40;
/** So many accounts are served at the same time. */
const accountsAtOnce = 4;

/**
 * Keeps what is at Google in step with what it should be: account by account in turns, so that a change of a million
 * passes holds up nobody else. On one node, one job at a time does so; the queue outlives all of them.
 */
@Injectable()
export class GoogleSender {
  private readonly logger = new Logger('GoogleWallet');
  private running: SenderRun | null = null;

  constructor(
    private readonly resources: GoogleResourcesRepository,
    private readonly writer: GoogleWriter,
    private readonly gate: GoogleCircuitBreaker,
    private readonly google: GoogleWallet,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Finds what a crash, a pause or a halt has left. */
  @Scheduled({ name: 'google-wallet.look', crontab: '* * * * *', lane: 'looks' })
  async look(context: JobContext): Promise<void> {
    await this.gate.forget();
    await this.run(context);
  }

  @JobHandler(GoogleResourcesDue)
  send(_payload: GoogleResourcesDue['payload'], context: JobContext): Promise<void> {
    return this.run(context);
  }

  /** Leaves what cannot be written now to a later claim. */
  @JobHandler(SuspectGoogleResources)
  async sendAlone({ ids, ...owner }: SuspectGoogleResources['payload']): Promise<void> {
    const identity = await this.usableIdentity(owner.accountId);
    const isOpen = identity?.issuerId === owner.issuerId && (await this.gate.stateOf(identity)) === 'open';
    if (!isOpen) return this.resources.giveBack(owner, ids, this.clock.now());
    let left = ids;
    while (left.length > 0) {
      // Classes come first, by themselves.
      const claimed = await this.resources.claimThese(owner, left, this.clock.now());
      if (claimed.length === 0) return;
      await this.writer.write(owner.accountId, claimed, 'background');
      left = left.filter((id) => !claimed.some((resource) => resource.id === id));
    }
  }

  private async run({ signal }: JobContext): Promise<void> {
    if (this.running?.askAgain()) return;
    const run = new SenderRun(signal, this.clock, (after) => this.resources.accountsWaiting(after, 100));
    this.running = run;
    try {
      await Promise.all(Array.from({ length: accountsAtOnce }, () => this.serveInTurn(run)));
    } finally {
      run.end();
    }
    await this.leaveTheRest(run);
  }

  /** One account after the other, as long as any has something to do. */
  private async serveInTurn(run: SenderRun): Promise<void> {
    for (let accountId = await run.next(); accountId !== null; accountId = await run.next()) {
      const hasMore = await this.serve(run, accountId).catch((error: unknown) => {
        // Of one account, and no reason to leave the others.
        this.logger.error({ err: loggedError(error) });
        return false;
      });
      run.served(accountId, hasMore);
    }
  }

  /** @returns whether there may be more of it to do */
  private async serve(run: SenderRun, accountId: string): Promise<boolean> {
    const identity = await this.usableIdentity(accountId);
    if (!identity) return false;
    const state = await this.gate.stateOf(identity);
    if (state === 'halted') return false;
    const owner = { accountId, issuerId: identity.issuerId };
    const limit = state === 'probe' ? 1 : Math.ceil(underWay / run.busy);
    const claimed = await this.resources.claimDue(owner, limit, this.clock.now());
    if (claimed.length === 0) {
      await this.resources.dropLeft(owner);
      return false;
    }
    const { halted, outcomes, nextTry } = await this.writer.write(accountId, claimed, 'background');
    if (nextTry) run.note(accountId, nextTry);
    if (halted !== null || state === 'probe') await this.gate.note(identity, halted, outcomes.has('stored'));
    return halted === null;
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

  private async leaveTheRest(run: SenderRun): Promise<void> {
    const rest = run.rest();
    if (rest) await this.database.transaction((tx) => this.jobs.add(tx, new GoogleResourcesDue(rest, rest.at)));
  }
}

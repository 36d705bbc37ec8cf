import { Injectable } from '@nestjs/common';
import { Clock, type GoogleIdentity, GoogleWallet, WalletUnavailable } from '@passwright/core';
import { Database, type JobContext, JobHandler, Jobs, Scheduled } from '@passwright/database';
import { GoogleGate } from './google-gate.js';
import { GoogleResourcesRepository } from './google-resources.repository.js';
import { GoogleWriter } from './google-writer.js';
import { GoogleResourcesDue } from './google.jobs.js';

/** How long one job goes on before it leaves the rest to another. */
const sliceMs = 10_000;
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
  private running = false;
  private again = false;

  constructor(
    private readonly resources: GoogleResourcesRepository,
    private readonly writer: GoogleWriter,
    private readonly gate: GoogleGate,
    private readonly google: GoogleWallet,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Finds what a crash, a pause or a halt has left. */
  @Scheduled({ name: 'google-wallet.look', crontab: '* * * * *' })
  async look(): Promise<void> {
    const due = await this.resources.accountsDue('', this.clock.now(), 1);
    if (due.length > 0) await this.database.transaction((tx) => this.jobs.add(tx, new GoogleResourcesDue()));
  }

  @JobHandler(GoogleResourcesDue)
  async send(_payload: object, { signal }: JobContext): Promise<void> {
    this.again = true;
    if (this.running) return;
    this.running = true;
    try {
      const run = new SenderRun(signal, this.clock);
      while (this.again && run.mayContinue()) {
        this.again = false;
        run.skipped.clear();
        await this.serveAll(run);
      }
      await this.leaveTheRest(run);
    } finally {
      this.running = false;
    }
  }

  /** Serves every account that has something due, in turns, until nothing is left or the time is up. */
  private async serveAll(run: SenderRun): Promise<void> {
    let after = '';
    while (run.mayContinue()) {
      const found = await this.resources.accountsDue(after, this.clock.now(), accountsAtOnce + run.skipped.size);
      const accounts = found.filter((id) => !run.skipped.has(id)).slice(0, accountsAtOnce);
      if (accounts.length === 0 && after === '') return;
      after = accounts.at(-1) ?? '';
      const limit = Math.ceil(underWay / Math.max(1, accounts.length));
      await Promise.all(accounts.map((accountId) => this.serve(run, accountId, limit)));
    }
  }

  private async serve(run: SenderRun, accountId: string, limit: number): Promise<void> {
    const identity = await this.usableIdentity(accountId);
    const claimed = identity
      ? await this.resources.claimDue({ accountId, issuerId: identity.issuerId }, limit, this.clock.now())
      : [];
    // Nothing that this run could do: another node has it, or it belongs to an issuer that the account has left.
    if (!identity || claimed.length === 0) return run.skip(accountId);
    const { settlements, halted } = await this.writer.write(accountId, claimed, 'background');
    run.note(settlements.flatMap(({ dueAt }) => dueAt ?? []));
    if (halted !== null) run.skip(accountId);
    await this.gate.note(
      identity,
      halted,
      settlements.some(({ sentHash }) => sentHash !== null),
    );
  }

  private async usableIdentity(accountId: string): Promise<GoogleIdentity | null> {
    const identity = await this.google.identity(accountId).catch((error: unknown) => {
      if (error instanceof WalletUnavailable) return null;
      throw error;
    });
    if (!identity || identity.development || (await this.gate.haltOf(identity))) return null;
    return identity;
  }

  private async leaveTheRest(run: SenderRun): Promise<void> {
    const rest = run.isOver ? new GoogleResourcesDue() : run.nextTry && new GoogleResourcesDue(run.nextTry);
    if (rest) await this.database.transaction((tx) => this.jobs.add(tx, rest));
  }
}

/** What one job knows as it goes along. */
class SenderRun {
  /** Accounts for which nothing more can be done in this run. */
  readonly skipped = new Set<string>();
  nextTry: Date | null = null;
  private readonly endsAt: number;

  constructor(
    private readonly signal: AbortSignal,
    private readonly clock: Clock,
  ) {
    this.endsAt = clock.now().getTime() + sliceMs;
  }

  get isOver(): boolean {
    return this.signal.aborted || this.clock.now().getTime() >= this.endsAt;
  }

  mayContinue(): boolean {
    return !this.isOver;
  }

  skip(accountId: string): void {
    this.skipped.add(accountId);
  }

  note(tries: readonly Date[]): void {
    for (const at of tries) if (!this.nextTry || at < this.nextTry) this.nextTry = at;
  }
}

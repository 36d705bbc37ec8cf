import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock, type GoogleIdentity, WalletUnavailable } from '@passwright/core';
import { Database, Jobs } from '@passwright/database';
import { GoogleGate } from './google-gate.js';
import { type ClaimedResource, GoogleResourcesRepository, type NewResource } from './google-resources.repository.js';
import { GoogleWriter } from './google-writer.js';
import { GoogleResourcesDue } from './google.jobs.js';

/** How long a holder may wait for what another request or node is writing. */
const patienceMs = 20_000;
const lookAgainMs = 150;
/** Classes, then objects; both once more when Google has lost a class. */
const mostWrites = 4;

/** Writes classes and objects to Google when somebody wants them there for the first time. */
@Injectable()
export class GooglePublisher {
  constructor(
    private readonly gate: GoogleGate,
    private readonly resources: GoogleResourcesRepository,
    private readonly writer: GoogleWriter,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns once all are at Google, in whatever state: what has changed since is sent in the background.
   * @param resources of one account and issuer. @throws WalletUnavailable when Google does not take them now
   */
  async publish(identity: GoogleIdentity, resources: readonly NewResource[]): Promise<void> {
    const [owner] = resources;
    if (!owner) return;
    if ((await this.missing(resources)).length === 0) return;
    if (await this.gate.haltOf(identity)) throw unanswered();
    await this.insert(resources);
    const endsAt = performance.now() + patienceMs;
    for (let writes = 0, next = await this.missing(resources); next.length > 0; next = await this.missing(resources)) {
      const claimed = await this.resources.claimNamed(owner, next, this.clock.now());
      // Nothing to claim: somebody else is at it, and what becomes of that is waited for.
      if (claimed.length > 0 ? ++writes > mostWrites : performance.now() > endsAt) throw unanswered();
      if (claimed.length > 0) await this.write(identity, claimed);
      else await pause(lookAgainMs);
    }
  }

  private async write(identity: GoogleIdentity, claimed: readonly ClaimedResource[]): Promise<void> {
    const [{ accountId }] = claimed as [ClaimedResource];
    const { settlements, halted, failed, leftDue } = await this.writer.write(accountId, claimed, 'holder');
    await this.gate.note(
      identity,
      halted,
      settlements.some(({ sentHash }) => sentHash !== null),
    );
    if (leftDue) await this.database.transaction((tx) => this.jobs.add(tx, new GoogleResourcesDue()));
    if (settlements.some(({ refused }) => refused)) throw refusedByGoogle();
    if (failed) throw unanswered();
  }

  /** What is to be written next: classes that Google does not have, else objects. */
  private async missing(resources: readonly NewResource[]): Promise<string[]> {
    const [owner] = resources as [NewResource];
    const ids = [...new Set(resources.map(({ id }) => id))];
    const found = await this.resources.find(owner, ids);
    const there = new Set(found.filter(({ sentHash }) => sentHash !== null).map(({ id }) => id));
    const missing = resources.filter(({ id }) => !there.has(id));
    const classes = missing.filter(({ serialNumber }) => serialNumber === null);
    return [...new Set((classes.length > 0 ? classes : missing).map(({ id }) => id))];
  }

  /** Due at once, with the job that writes them in case this process does not get to it. */
  private async insert(resources: readonly NewResource[]): Promise<void> {
    await this.database.transaction(async (tx) => {
      const now = this.clock.now();
      await this.resources.insertNew(tx, resources, now);
      await this.jobs.add(tx, new GoogleResourcesDue(new Date(now.getTime() + patienceMs)));
    });
  }
}

function unanswered(): WalletUnavailable {
  return new WalletUnavailable('Google Wallet does not take this pass at the moment; try again in a minute.');
}

function refusedByGoogle(): WalletUnavailable {
  return new WalletUnavailable(
    'Google Wallet refuses this pass. Who issued it sees why: GET /v1/templates/{templateId}/walletB.',
  );
}

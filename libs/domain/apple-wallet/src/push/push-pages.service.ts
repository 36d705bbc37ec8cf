import { Injectable, Logger } from '@nestjs/common';
import { Clock, type PushResult } from '@passwright/core';
import { Database } from '@passwright/database';
import { RELEASE_PAUSE_MS, releaseTimeAfter } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { AppleWalletOptions } from '../apple-wallet.options.js';
import { defaultPacing, type PushPacing } from './push-pacing.js';
import { type ClaimedPage, type PushedAccount, PushQueueRepository } from './push-queue.repository.js';
import { PushRecordsRepository } from './push-records.repository.js';
import {
  type ClaimedDevice,
  removalOf,
  type PushedDevice,
  type PushedTokens,
  type DeviceOutcome,
  type PushClaim,
  outcomeOf,
} from './push-outcome.js';

/** Claims pages of due devices and records the results, each in its own transaction. */
@Injectable()
export class PushPages {
  private readonly logger = new Logger('ApplePush');
  private readonly pacing: PushPacing;

  constructor(
    options: AppleWalletOptions,
    private readonly database: Database,
    private readonly queue: PushQueueRepository,
    private readonly records: PushRecordsRepository,
    private readonly clock: Clock,
  ) {
    this.pacing = options.push ?? defaultPacing;
  }

  claim(account: PushedAccount, size: number): Promise<ClaimedPage> {
    const now = this.clock.now();
    return this.claimed(account, (tx) => this.queue.claim(tx, account, size, now, this.pacing));
  }

  claimThese(account: PushedAccount, pageIds: readonly string[]): Promise<ClaimedPage> {
    const now = this.clock.now();
    return this.claimed(account, (tx) => this.queue.claimThese(tx, account, pageIds, now, this.pacing));
  }

  /** Releases pages whose pushes a `SuspectPushPages` job could not send, so that the next claim can take them. */
  giveBack(accountId: string, pageIds: readonly string[]): Promise<void> {
    return this.database.transaction((tx) => this.queue.giveBack(tx, accountId, pageIds, this.clock.now()));
  }

  /**
   * Runs the work on claimed devices until their results are recorded. If the work fails, releases the open claims once
   * the database is available. They do not count as crashes, because this process is still running.
   */
  async whileClaimed<T>(accountId: string, claims: readonly PushClaim[], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.queue.release(accountId, claims, releaseTimeAfter(error, this.clock.now()));
      throw error;
    }
  }

  /** Runs a claim. Releases it if the claim was committed but the database's response was lost. */
  private claimed({ accountId }: PushedAccount, claim: (tx: EntityManager) => Promise<ClaimedPage>) {
    const claims: PushClaim[] = [];
    return this.whileClaimed(accountId, claims, () =>
      this.database.transaction(async (tx) => {
        const page = await claim(tx);
        claims.push(...claimsOf(page.devices));
        return page;
      }),
    );
  }

  /**
   * Records results. After a restore of the database, drops the results of earlier claims and releases these claims,
   * because all devices get another push.
   */
  async record(accountId: string, pushed: readonly PushedDevice[]): Promise<void> {
    const [first] = pushed;
    if (!first) return;
    const now = this.clock.now();
    this.tellInvalid(accountId, pushed);
    const removals = pushed
      .map(({ device, result }) => removalOf(device, result))
      .filter((removal) => removal !== null);
    const recorded = recordedAlike(pushed, now, this.pacing);
    const claims = new Map<string, string[]>(pushed.map(({ device }) => [device.claim, []]));
    for (const { device, result } of pushed) if (!result) claims.get(device.claim)?.push(device.id);
    // The first device belongs to the earlier claim if the pushes belong to two claims.
    const isRecorded = await this.database.transactionOf(first.device.incarnation, async (tx) => {
      await this.records.lock(
        tx,
        accountId,
        pushed.map(({ device }) => device.id),
      );
      for (const { deviceOutcome, tokens } of recorded) {
        await this.records.record(tx, accountId, deviceOutcome, tokens);
      }
      await this.records.forget(tx, accountId, removals, now);
      // End the claims last, because they protect the devices until the results are recorded.
      for (const [claim, left] of claims) await this.queue.end(tx, accountId, claim, left, now);
      return true;
    });
    // Release the claims, so that their devices get their push after the restore without waiting for the claims to
    // expire.
    if (!isRecorded) this.queue.release(accountId, claimsIn(pushed), new Date(now.getTime() + RELEASE_PAUSE_MS));
  }

  /** Logs the invalid pushes of a batch as one error, because a person must fix the cause. */
  private tellInvalid(accountId: string, pushed: readonly PushedDevice[]): void {
    const invalid = pushed.filter(({ result }) => result?.outcome === 'invalid');
    const [first] = invalid;
    if (!first) return;
    this.logger.error(
      `${invalid.length} pushes of account ${accountId} are rejected, and not sent again: ${first.result?.reason}`,
    );
  }
}

/** Returns the claim that has reserved a page of devices. */
export function claimsOf(devices: readonly ClaimedDevice[]): PushClaim[] {
  return devices.slice(0, 1);
}

function claimsIn(pushed: readonly PushedDevice[]): PushClaim[] {
  return [...new Map(pushed.map(({ device }) => [device.claim, device])).values()];
}

interface Recorded {
  readonly deviceOutcome: DeviceOutcome;
  readonly tokens: PushedTokens;
}

/** Groups pushes with the same result, which most pushes have. Equal failures share the random part of their pause. */
function recordedAlike(pushed: readonly PushedDevice[], now: Date, pacing: PushPacing): readonly Recorded[] {
  const random = Math.random();
  const groups = new Map<string, Recorded>();
  let last: { readonly push: FinishedPush; readonly group: Recorded } | null = null;
  for (const push of pushed) {
    if (!hasResult(push)) continue;
    // Compare with the previous push first, because computing the group's name for every push would be too slow.
    if (last === null || !areAlike(last.push, push)) last = { push, group: groupOf(push) };
    const { ids, pushTokens, pushIds } = last.group.tokens;
    ids.push(push.device.id);
    pushTokens.push(push.device.pushToken);
    pushIds.push(push.result.pushId);
  }
  return [...groups.values()];

  function groupOf({ device, result }: FinishedPush): Recorded {
    const { claim, attempts, failures, badTokens } = device;
    const { outcome, status, reason, retryAfterSeconds } = result;
    const name = [claim, attempts, failures, badTokens, outcome, status, reason, retryAfterSeconds].join();
    const group = groups.get(name) ?? {
      deviceOutcome: outcomeOf(device, result, now, pacing, random),
      tokens: { ids: [], pushTokens: [], pushIds: [] },
    };
    groups.set(name, group);
    return group;
  }
}

type FinishedPush = PushedDevice & { readonly result: PushResult };

function hasResult(push: PushedDevice): push is FinishedPush {
  return push.result !== null;
}

/** Returns true only if the pushes certainly have the same outcome. */
function areAlike(a: FinishedPush, b: FinishedPush): boolean {
  return (
    a.result.outcome === b.result.outcome &&
    a.result.status === b.result.status &&
    a.result.reason === b.result.reason &&
    a.result.retryAfterSeconds === b.result.retryAfterSeconds &&
    a.device.claim === b.device.claim &&
    a.device.attempts === b.device.attempts &&
    a.device.failures === b.device.failures &&
    a.device.badTokens === b.device.badTokens
  );
}

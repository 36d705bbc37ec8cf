import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock, type GoogleIdentity, WalletUnavailable, withoutSlot } from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import { GoogleCircuitBreaker } from './google-circuit-breaker.js';
import type { ClaimedResource, NewResource, ResourceState } from './google-resource.js';
import { GoogleResourcesRepository } from './google-resources.repository.js';
import { GoogleWriter } from './google-writer.service.js';
import { GoogleResourcesDue } from './google.jobs.js';

/** How long a holder's request waits while another request or node is writing, in milliseconds. */
const timeoutMs = 20_000;
const firstLookMs = 100;
const lastLookMs = 1_000;

/** Writes classes and objects to Google when they are first requested. */
@Injectable()
export class GooglePublisher {
  /** The writes in progress in this process, by id. Several requests may wait for one write. */
  private readonly underWay = new Map<string, Promise<void>>();

  constructor(
    private readonly breaker: GoogleCircuitBreaker,
    private readonly resources: GoogleResourcesRepository,
    private readonly writer: GoogleWriter,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns once all resources are at Google in any version. Later changes are sent in the background.
   * @param resources resources of one account and issuer.
   * @throws WalletUnavailable if Google does not accept them now
   */
  async publish(identity: GoogleIdentity, resources: readonly NewResource[]): Promise<void> {
    const missing = await this.missing(resources, true);
    if (missing.length === 0) return;
    if ((await this.breaker.stateOf(identity)) === 'open') throw withoutResponse();
    await this.database.transaction((tx) => this.resources.insertNew(tx, missing, this.clock.now()));
    const left = await withoutSlot(() => this.writeMissing(identity, resources, missing));
    if (left.length > 0) throw withoutResponse();
  }

  /** Writes the classes and then the objects. @returns the resources that are still missing */
  private async writeMissing(
    identity: GoogleIdentity,
    resources: readonly NewResource[],
    atFirst: readonly NewResource[],
  ): Promise<readonly NewResource[]> {
    let missing = atFirst;
    // Do a second round if Google has lost a class, because only the write of an object shows the loss.
    for (let round = 0; round < 2 && missing.length > 0; round++) {
      const insists = round > 0;
      const objects = missing.filter((resource) => !isClass(resource));
      await this.writeAll(identity, missing.filter(isClass), insists);
      await this.writeAll(identity, objects, insists);
      missing = await this.missing(resources);
    }
    return missing;
  }

  /**
   * Returns the resources that Google does not have yet. The first check of a request (`isFirst`) also records that a
   * holder has requested the objects.
   */
  private async missing(resources: readonly NewResource[], isFirst = false): Promise<NewResource[]> {
    const [owner] = resources;
    if (!owner) return [];
    const distinct = new Map(resources.map((resource) => [resource.id, resource]));
    const found = await this.resources.find(owner, [...distinct.keys()]);
    const linked = found.filter(({ isLinked }) => isLinked).map(({ id }) => id);
    if (isFirst && linked.length > 0) await this.resources.askedFor(owner, linked, this.clock.now());
    for (const { id, sentHash } of found) if (sentHash !== null) distinct.delete(id);
    return [...distinct.values()];
  }

  private async writeAll(identity: GoogleIdentity, resources: readonly NewResource[], insists: boolean): Promise<void> {
    await Promise.all(resources.map((resource) => this.once(identity, resource, insists)));
  }

  /** Writes a resource only once for simultaneous requests on this node. */
  private once(identity: GoogleIdentity, resource: NewResource, insists: boolean): Promise<void> {
    const key = `${resource.issuerId}.${resource.id}`;
    const underWay = this.underWay.get(key);
    if (underWay) return underWay;
    const work = this.write(identity, resource, insists).finally(() => this.underWay.delete(key));
    this.underWay.set(key, work);
    return work;
  }

  /**
   * Writes the resource, or waits until another node has written it.
   * @param insists true to try again soon after a failure, which a missing class may have caused
   */
  private async write(identity: GoogleIdentity, resource: NewResource, insists: boolean): Promise<void> {
    const endsAt = performance.now() + timeoutMs;
    for (let lookMs = firstLookMs; performance.now() < endsAt; lookMs = Math.min(lastLookMs, lookMs * 2)) {
      const [found] = await this.resources.find(resource, [resource.id]);
      if (!found || found.sentHash !== null) return;
      const now = this.clock.now();
      if (!insists) requireHope(found, now);
      const isLeased = found.leasedUntil !== null && found.leasedUntil > now;
      const claimed = isLeased ? [] : await this.resources.claimNamed(resource, [resource.id], now);
      if (claimed.length === 0) await pause(lookMs);
      else if (await this.writeClaimed(identity, resource, claimed)) return;
    }
  }

  /**
   * Writes a claimed resource. @returns false if nothing was written, because the object contains messages that must be
   * recorded first
   */
  private async writeClaimed(
    identity: GoogleIdentity,
    resource: NewResource,
    claimed: readonly ClaimedResource[],
  ): Promise<boolean> {
    const { rejection, outcomes, leftDue } = await this.writer.write(resource.accountId, claimed, 'holder');
    await this.breaker.note(identity, rejection, outcomes.has('stored'));
    if (leftDue) await this.database.transaction((tx) => this.jobs.add(tx, new GoogleResourcesDue(resource)));
    if (outcomes.has('rejected')) throw rejectedByGoogle();
    if (outcomes.has('retry') || rejection !== null) throw withoutResponse();
    return !outcomes.has('found');
  }
}

const isClass = ({ serialNumber }: NewResource) => serialNumber === null;

/**
 * Throws if Google has just rejected the resource or could not store it, so that repeated requests do not reach Google.
 * The queue tries again later.
 */
function requireHope({ rejected, failures, dueAt }: ResourceState, now: Date): void {
  const isPut = dueAt !== null && dueAt > now;
  if (rejected && isPut) throw rejectedByGoogle();
  if (failures > 0 && isPut) throw withoutResponse();
}

/** Google does not respond or rejects the credential. */
function withoutResponse(): WalletUnavailable {
  return new WalletUnavailable('Google Wallet does not take this pass at the moment; try again in a minute.', 60);
}

function rejectedByGoogle(): WalletUnavailable {
  return new WalletUnavailable(
    'Google Wallet rejects this pass. Its issuer reads the reason with GET /v1/templates/{templateId}/walletB.',
  );
}

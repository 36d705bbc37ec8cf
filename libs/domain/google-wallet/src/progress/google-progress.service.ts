import { Injectable } from '@nestjs/common';
import { Clock, GoogleWallet } from '@passwright/core';
import type { Circuit } from '@passwright/jobs';
import { TemplatesService } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import type { Pass } from '@passwright/passes';
import { GoogleCircuitBreaker } from '../sync/google-circuit-breaker.js';
import { classIdOf, googleId, objectIdOf } from '../sync/google-ids.js';
import type { GoogleDeliveryResponse } from './google-delivery.dto.js';
import { type GoogleProgressResponse, toGoogleState } from './google-progress.dto.js';
import { GoogleProgressRepository, type GoogleReach, type HeldCount } from './google-progress.repository.js';
import { requestsPerSecond } from '../quota/google-quota.repository.js';

/** Reports the sync state of templates and passes at Google. */
@Injectable()
export class GoogleProgressService {
  constructor(
    private readonly google: GoogleWallet,
    private readonly templates: TemplatesService,
    private readonly repository: GoogleProgressRepository,
    private readonly breaker: GoogleCircuitBreaker,
    private readonly clock: Clock,
  ) {}

  /** @throws TemplateNotFound. @throws WalletUnavailable if the account's credential cannot be used */
  async ofTemplate(accountId: string, templateId: string): Promise<GoogleProgressResponse> {
    const { type } = await this.templates.get(accountId, templateId);
    const identity = await this.google.identity(accountId);
    const { issuerId, development } = identity;
    const id = classIdOf(accountId, templateId, type);
    const [row, objects, circuit] = await Promise.all([
      this.repository.find(accountId, issuerId, id),
      this.repository.countObjects(accountId, templateId, issuerId),
      this.breaker.find(accountId, identity.fingerprint),
    ]);
    const state = toGoogleState(row);
    const { total, rejected, installed, problem } = objects;
    const waiting = objects.waiting + (state === 'waiting' ? 1 : 0);
    const doneAt = new Date(this.clock.now().getTime() + (waiting * 1000) / requestsPerSecond);
    return {
      development,
      halt: circuit && toHaltResponse(circuit),
      class: {
        id: development ? null : googleId(issuerId, id),
        state,
        sentAt: row?.sentAt?.toISOString() ?? null,
        problem: row?.problem ?? null,
      },
      objects: { total, waiting: objects.waiting, refused: rejected, installed, problem },
      doneBy: waiting > 0 && !circuit ? doneAt.toISOString() : null,
    };
  }

  /** Returns the state of one pass. */
  async ofPass({ accountId, serialNumber }: Pick<Pass, 'accountId' | 'serialNumber'>): Promise<GoogleDeliveryResponse> {
    const identity = await this.google.identity(accountId).catch(() => null);
    const row = identity && (await this.repository.find(accountId, identity.issuerId, objectIdOf({ serialNumber })));
    return {
      state: toGoogleState(row),
      sentAt: row?.sentAt?.toISOString() ?? null,
      problem: row?.problem ?? null,
      saves: row?.saves ?? 0,
      removals: row?.removals ?? 0,
    };
  }

  /**
   * Returns how a message would reach the holders of passes, by serial number. Omits passes that were never at Google.
   * @param at the time of the message
   */
  async reach(
    accountId: string,
    serialNumbers: readonly string[],
    at: Date,
    tx?: EntityManager,
  ): Promise<Map<string, GoogleReach>> {
    const rows = await this.repository.reach(accountId, serialNumbers, at, tx);
    return new Map(rows.map(({ serialNumber, ...reach }) => [serialNumber, reach]));
  }

  /**
   * Counts the passes of a template that at least one holder has saved at Google.
   * @param most counting stops after this many passes that are at Google
   */
  countHeld(accountId: string, templateId: string, most: number): Promise<HeldCount> {
    return this.repository.countHeld(accountId, templateId, most);
  }

  /**
   * Locks the objects of passes until `tx` ends, in the order of their ids, like all code that locks several objects.
   */
  lockOfPasses(tx: EntityManager, accountId: string, serialNumbers: readonly string[]): Promise<void> {
    return this.repository.lockOfPasses(tx, accountId, serialNumbers);
  }

  /** Deletes the messages and the last error of the object of a pass that is being erased. */
  eraseOfPass(tx: EntityManager, accountId: string, serialNumber: string): Promise<void> {
    return this.repository.eraseTraces(tx, accountId, serialNumber);
  }

  /** Returns the stored data about the objects of a pass, for its holder. */
  exportOfPass(accountId: string, serialNumber: string): Promise<object[]> {
    return this.repository.exportOfPass(accountId, serialNumber);
  }
}

function toHaltResponse({ reason, since, retryAt }: Circuit): NonNullable<GoogleProgressResponse['halt']> {
  return { reason, since: since.toISOString(), retryAt: retryAt.toISOString() };
}

import { Injectable } from '@nestjs/common';
import { Clock, type GoogleIdentity, GoogleWallet } from '@passwright/core';
import { TemplatesService } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import type { Pass } from '@passwright/passes';
import { GoogleCircuitBreaker } from '../sync/google-circuit-breaker.js';
import { classIdOf, googleId, objectIdOf } from '../sync/google-ids.js';
import type { GoogleDeliveryResponse } from './google-delivery.dto.js';
import type { GoogleProgressResponse } from './google-progress.dto.js';
import { GoogleProgressRepository, googleState } from './google-progress.repository.js';
import { requestsPerSecond } from '../sync/google-quota.repository.js';

/** Reports the sync state of templates and passes at Google. */
@Injectable()
export class GoogleProgressService {
  constructor(
    private readonly google: GoogleWallet,
    private readonly templates: TemplatesService,
    private readonly repository: GoogleProgressRepository,
    private readonly gate: GoogleCircuitBreaker,
    private readonly clock: Clock,
  ) {}

  /** @throws TemplateNotFound. @throws WalletUnavailable if the account's credential cannot be used */
  async ofTemplate(accountId: string, templateId: string): Promise<GoogleProgressResponse> {
    const { type } = await this.templates.get(accountId, templateId);
    const identity = await this.google.identity(accountId);
    const { issuerId, development } = identity;
    const id = classIdOf(accountId, templateId, type);
    const [row, objects, halt] = await Promise.all([
      this.repository.find(accountId, issuerId, id),
      this.repository.countObjects(accountId, templateId, issuerId),
      this.haltOf(identity),
    ]);
    const state = googleState(row);
    const waiting = objects.waiting + (state === 'waiting' ? 1 : 0);
    const doneAt = new Date(this.clock.now().getTime() + (waiting * 1000) / requestsPerSecond);
    return {
      development,
      halt,
      class: {
        id: development ? null : googleId(issuerId, id),
        state,
        sentAt: row?.sentAt?.toISOString() ?? null,
        problem: row?.problem ?? null,
      },
      objects,
      doneBy: waiting > 0 && !halt ? doneAt.toISOString() : null,
    };
  }

  /** Returns the state of one pass. */
  async ofPass({ accountId, serialNumber }: Pick<Pass, 'accountId' | 'serialNumber'>): Promise<GoogleDeliveryResponse> {
    const identity = await this.google.identity(accountId).catch(() => null);
    const row = identity && (await this.repository.find(accountId, identity.issuerId, objectIdOf({ serialNumber })));
    return {
      state: googleState(row),
      sentAt: row?.sentAt?.toISOString() ?? null,
      problem: row?.problem ?? null,
      saves: row?.saves ?? 0,
      removals: row?.removals ?? 0,
    };
  }

  /** Clears the last error of the object of a pass that is being erased. */
  eraseOfPass(tx: EntityManager, accountId: string, serialNumber: string): Promise<void> {
    return this.repository.eraseProblem(tx, accountId, serialNumber);
  }

  /** Returns the stored data about the objects of a pass, for its holder. */
  exportOfPass(accountId: string, serialNumber: string): Promise<object[]> {
    return this.repository.exportOfPass(accountId, serialNumber);
  }

  private async haltOf(identity: GoogleIdentity): Promise<GoogleProgressResponse['halt']> {
    const halt = await this.gate.haltOf(identity);
    return halt && { reason: halt.reason, since: halt.since.toISOString(), retryAt: halt.retryAt.toISOString() };
  }
}

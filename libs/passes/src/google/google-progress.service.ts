import { Injectable } from '@nestjs/common';
import { Clock, type GoogleIdentity, GoogleWallet } from '@passwright/core';
import { TemplatesService } from '@passwright/templates';
import { GoogleGate } from './google-gate.js';
import { classIdOf, googleId } from './google-ids.js';
import type { GoogleProgressResponse } from './google-progress.dto.js';
import { GoogleProgressRepository } from './google-progress.repository.js';
import { intervalMs } from './google-quota.repository.js';

/** Tells how far Google is in step with what it should hold. */
@Injectable()
export class GoogleProgressService {
  constructor(
    private readonly google: GoogleWallet,
    private readonly templates: TemplatesService,
    private readonly repository: GoogleProgressRepository,
    private readonly gate: GoogleGate,
    private readonly clock: Clock,
  ) {}

  /** @throws TemplateNotFound. @throws WalletUnavailable when the account's credential cannot be used */
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
    const isWaiting = row !== null && row.dueAt !== null;
    const waiting = objects.waiting + (isWaiting ? 1 : 0);
    const doneAt = new Date(this.clock.now().getTime() + waiting * intervalMs);
    return {
      development,
      halt,
      class: {
        id: development ? null : googleId(issuerId, id),
        state: row?.refused ? 'refused' : isWaiting ? 'waiting' : row?.sentHash ? 'current' : 'none',
        sentAt: row?.sentAt?.toISOString() ?? null,
        problem: row?.problem ?? null,
      },
      objects,
      doneBy: waiting > 0 && !halt ? doneAt.toISOString() : null,
    };
  }

  private async haltOf(identity: GoogleIdentity): Promise<GoogleProgressResponse['halt']> {
    const halt = await this.gate.haltOf(identity);
    return halt && { reason: halt.reason, since: halt.since.toISOString(), retryAt: halt.retryAt.toISOString() };
  }
}

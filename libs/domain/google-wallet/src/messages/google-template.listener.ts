import { Injectable } from '@nestjs/common';
import { Clock, Listens } from '@passwright/core';
import { type SentNotice, type Template, TemplateListener } from '@passwright/templates';
import { type FrontChange, noticesOf } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import { isAnnouncedByGoogle } from './change-messages.js';
import { GoogleQuietHours } from './google-quiet-hours.service.js';
import { ObjectMessagesRepository } from './object-messages.repository.js';

/**
 * Reports the lines that holders get from Google Wallet after a template change. The messages are queued only when
 * their objects are written.
 */
@Injectable()
@Listens(TemplateListener)
export class GoogleTemplateListener extends TemplateListener {
  constructor(
    private readonly messages: ObjectMessagesRepository,
    private readonly quietHours: GoogleQuietHours,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async frontChanged(
    tx: EntityManager,
    template: Template,
    changes: readonly FrontChange[],
  ): Promise<readonly SentNotice[]> {
    const lines = noticesOf(changes);
    const { accountId, id } = template;
    if (lines.length === 0 || !(await this.messages.hasOfTemplate(tx, accountId, id))) return [];
    const quietUntil = await this.quietHours.until(accountId, this.clock.now(), tx);
    const reason = quietUntil ? 'quiet_hours' : null;
    return lines.map((line): SentNotice => {
      const notice = { ...line, wallet: 'google', notifiesAt: null } as const;
      if (isAnnouncedByGoogle(template, line)) {
        return { ...notice, shown: 'nowhere', reason: reason ?? 'announced_by_google' };
      }
      return { ...notice, shown: 'notification', reason, notifiesAt: quietUntil?.toISOString() ?? null };
    });
  }
}

import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import { QuietHoursListener } from '@passwright/google-wallet';
import type { EntityManager } from 'typeorm';
import { MessageSettingsService } from './message-settings.service.js';

/** Applies the quiet hours of accounts to every notification by Google Wallet. */
@Injectable()
@Listens(QuietHoursListener)
export class MessageQuietHoursListener extends QuietHoursListener {
  constructor(private readonly settings: MessageSettingsService) {
    super();
  }

  override async quietUntil(accountId: string, at: Date, tx?: EntityManager): Promise<Date | null> {
    const until = await this.settings.sendTime({ accountId, urgent: false }, at, tx);
    return until > at ? until : null;
  }
}

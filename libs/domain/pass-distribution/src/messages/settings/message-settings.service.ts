import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AccountsService, AuditLog } from '@passwright/accounts';
import { Clock, ValidationFailed } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import {
  type MessageSettingsRequest,
  type MessageSettingsResponse,
  quietHoursOf,
  toMessageSettingsResponse,
} from './message-settings.dto.js';
import { MessageSettingsRepository } from './message-settings.repository.js';
import { endOfQuiet } from './quiet-hours.js';

/** Reads and writes the quiet hours of accounts. */
@Injectable()
export class MessageSettingsService {
  constructor(
    private readonly database: Database,
    private readonly repository: MessageSettingsRepository,
    private readonly accounts: AccountsService,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  async get(accountId: string): Promise<MessageSettingsResponse> {
    return toMessageSettingsResponse(await this.repository.find(accountId));
  }

  /** Replaces the settings. They apply to planned messages too. @throws ValidationFailed */
  async put(accountId: string, { timeZone, quietHours }: MessageSettingsRequest): Promise<MessageSettingsResponse> {
    if (quietHours && quietHours.from === quietHours.until) {
      throw new ValidationFailed('quietHours.until must be another time than quietHours.from');
    }
    return this.database.transaction(async (tx) => {
      // Lock the account, because the settings may have no row yet. The audit trail then records the previous settings.
      await this.accounts.lock(tx, accountId);
      const before = toMessageSettingsResponse(await this.repository.find(accountId, tx));
      const settings = {
        accountId,
        timeZone: timeZone ?? 'UTC',
        quietFrom: quietHours?.from ?? null,
        quietUntil: quietHours?.until ?? null,
        updatedAt: this.clock.now(),
      };
      const after = toMessageSettingsResponse(settings);
      if (isDeepStrictEqual(before, after)) return after;
      await this.repository.save(tx, settings);
      const target = { kind: 'messageSettings' };
      await this.auditLog.record(tx, { accountId, action: 'message.settings_changed', target, before, after });
      return after;
    });
  }

  /** Returns the first time at or after `at` when a message may be sent. */
  async sendTime(
    { accountId, urgent }: { readonly accountId: string; readonly urgent: boolean },
    at: Date,
    tx?: EntityManager,
  ): Promise<Date> {
    const quiet = urgent ? null : quietHoursOf(await this.repository.find(accountId, tx));
    return quiet ? endOfQuiet(at, quiet) : at;
  }
}

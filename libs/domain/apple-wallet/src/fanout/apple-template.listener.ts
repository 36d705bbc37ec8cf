import { Injectable } from '@nestjs/common';
import { Listens } from '@passwright/core';
import { type SentNotice, type Template, TemplateListener } from '@passwright/templates';
import { type FrontChange, noticesOf } from '@passwright/wallet-renderers';
import type { EntityManager } from 'typeorm';
import { RegisteredPassesRepository } from './registered-passes.repository.js';

/**
 * Reports the lines that Apple devices will show on the lock screen after a template change. A job notifies the devices
 * later.
 */
@Injectable()
@Listens(TemplateListener)
export class AppleTemplateListener extends TemplateListener {
  constructor(private readonly registrations: RegisteredPassesRepository) {
    super();
  }

  override async frontChanged(
    tx: EntityManager,
    { accountId, id }: Template,
    changes: readonly FrontChange[],
  ): Promise<readonly SentNotice[]> {
    if (!(await this.registrations.hasOfTemplate(tx, accountId, id))) return [];
    const shown = { wallet: 'apple', shown: 'notification', reason: null, notifiesAt: null } as const;
    return noticesOf(changes).map((line) => ({ ...line, ...shown }));
  }
}

import { Injectable } from '@nestjs/common';
import { Clock, Listens } from '@passwright/core';
import { TemplateListener } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import { MessagesRepository } from './messages.repository.js';

/**
 * Cancels the planned messages of a deleted template, so that they do not reach passes of a new template with the same
 * id.
 */
@Injectable()
@Listens(TemplateListener)
export class MessageTemplateListener extends TemplateListener {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly clock: Clock,
  ) {
    super();
  }

  override templateDeleted(tx: EntityManager, accountId: string, templateId: string): Promise<void> {
    return this.messages.cancelOfTemplate(tx, accountId, templateId, this.clock.now());
  }
}

import { Injectable } from '@nestjs/common';
import { AccountsService } from '@passwright/accounts';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { type JobContext, JobHandler, Jobs } from '@passwright/jobs';
import { type Template, TemplateNotFound, TemplatesService } from '@passwright/templates';
import { MessageSender } from './message-sender.service.js';
import { MessageDue } from './messages.jobs.js';
import { type DueMessage, type MessageKey, MessagesRepository } from './messages.repository.js';

/** The time slice of one job. Another job continues, so that messages and accounts take turns. */
const sliceMs = 10_000;
/** The time after which a message looks again whether the deletion of its account was cancelled. */
const putOffMs = 60 * 60_000;

/** Sends the pages of messages that are due. */
@Injectable()
export class MessagesHandlers {
  constructor(
    private readonly database: Database,
    private readonly messages: MessagesRepository,
    private readonly sender: MessageSender,
    private readonly templates: TemplatesService,
    private readonly accounts: AccountsService,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  @JobHandler(MessageDue)
  async due({ accountId }: MessageDue['payload'], { signal }: JobContext): Promise<void> {
    const endsAt = performance.now() + sliceMs;
    const isBeingDeleted = await this.accounts.isBeingDeleted(accountId);
    for (let due = await this.findDue(accountId); due.length > 0; due = await this.findDue(accountId)) {
      for (const message of due) {
        await (isBeingDeleted ? this.putOff(message) : this.sendPage(message));
        if (signal.aborted || performance.now() >= endsAt) return this.leaveTheRest(message);
      }
    }
  }

  /** Lists the due messages of an account. Each gets a page in turn. */
  private findDue(accountId: string): Promise<DueMessage[]> {
    return this.messages.dueOf(accountId, this.clock.now());
  }

  private leaveTheRest({ accountId, id: messageId }: DueMessage): Promise<void> {
    return this.database.transaction((tx) => this.jobs.add(tx, new MessageDue({ accountId, messageId })));
  }

  private async sendPage({ accountId, id, templateId }: DueMessage): Promise<void> {
    const template = await this.findTemplate(accountId, templateId);
    if (!template) return this.endWithoutTemplate(accountId, id);
    await this.database.transaction(async (tx) => {
      const message = await this.messages.lock(tx, accountId, id);
      if (message) await this.sender.advance(tx, template, message);
    });
  }

  private putOff(message: MessageKey): Promise<void> {
    const at = new Date(this.clock.now().getTime() + putOffMs);
    return this.database.transaction((tx) => this.messages.putOff(tx, message, at));
  }

  private async findTemplate(accountId: string, templateId: string): Promise<Template | null> {
    try {
      return await this.templates.get(accountId, templateId);
    } catch (error) {
      if (error instanceof TemplateNotFound) return null;
      throw error;
    }
  }

  /** Cancels a message whose template was deleted, and with it all its passes. */
  private endWithoutTemplate(accountId: string, messageId: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const message = await this.messages.lock(tx, accountId, messageId);
      if (message?.dueAt) await this.messages.cancel(tx, message, this.clock.now());
    });
  }
}

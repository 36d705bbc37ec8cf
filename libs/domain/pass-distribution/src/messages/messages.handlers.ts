import { Injectable } from '@nestjs/common';
import { AccountsService } from '@passwright/accounts';
import { Clock } from '@passwright/core';
import { Database } from '@passwright/database';
import { type JobContext, JobHandler } from '@passwright/jobs';
import { IssuedPassesService } from '@passwright/passes';
import { shareTemplate, type Template, TemplateNotFound, TemplatesService } from '@passwright/templates';
import { MessageJobs } from './message-jobs.service.js';
import { MessageSender } from './message-sender.service.js';
import { MessageDue } from './messages.jobs.js';
import { type DueMessage, type MessageKey, MessagesRepository } from './messages.repository.js';

/** Maximum run time of one job. Then a new job continues, so that other founders are served in between. */
const sliceMs = 10_000;
/** The pause before a job retries the messages of an account that is being deleted. The deletion may be cancelled. */
const putOffMs = 60 * 60_000;
/** The pause before a job retries a failed batch. Other messages continue meanwhile. */
const failedPauseMs = 60_000;

/** Sends due messages in batches of passes. */
@Injectable()
export class MessagesHandlers {
  constructor(
    private readonly database: Database,
    private readonly messages: MessagesRepository,
    private readonly sender: MessageSender,
    private readonly templates: TemplatesService,
    private readonly issued: IssuedPassesService,
    private readonly accounts: AccountsService,
    private readonly jobs: MessageJobs,
    private readonly clock: Clock,
  ) {}

  /** @throws the first error of a batch, after trying the batches of the other messages */
  @JobHandler(MessageDue)
  async due({ accountId }: MessageDue['payload'], { signal }: JobContext): Promise<void> {
    const endsAt = performance.now() + sliceMs;
    const accountIds = await this.accounts.listOfSameFounder(accountId, this.database.reads);
    const failures: unknown[] = [];
    for (let due = await this.findDue(accountIds); due.length > 0; due = await this.findDue(accountIds)) {
      for (const message of due) {
        await this.process(message).catch(async (error: unknown) => {
          failures.push(error);
          await this.putOff(message, failedPauseMs);
        });
        if (!signal.aborted && performance.now() < endsAt) continue;
        await this.leaveTheRest(message);
        return throwFirst(failures);
      }
    }
    throwFirst(failures);
  }

  /** Lists the due messages of accounts. The job sends one batch of each, and then repeats. */
  private findDue(accountIds: readonly string[]): Promise<DueMessage[]> {
    return this.messages.dueOf(accountIds, this.clock.now());
  }

  private async leaveTheRest(message: DueMessage): Promise<void> {
    const job = await this.jobs.jobOf(message);
    await this.database.transaction((tx) => this.jobs.add(tx, job));
  }

  private async process(message: DueMessage): Promise<void> {
    if (await this.accounts.isBeingDeleted(message.accountId)) return this.putOff(message, putOffMs);
    await this.sendPage(message);
  }

  private async sendPage({ accountId, id, templateId, passId }: DueMessage): Promise<void> {
    const template = await this.findTemplate(accountId, templateId);
    if (!template) return this.endWithoutTemplate(accountId, id);
    await this.database.transaction(async (tx) => {
      // Lock the template or the pass before the message, like the code that deletes templates and passes.
      if (passId === null) await shareTemplate(tx, accountId, templateId);
      else await this.issued.lock(tx, { accountId, templateId, passId });
      const message = await this.messages.lock(tx, accountId, id);
      if (message) await this.sender.advance(tx, template, message);
    });
  }

  private putOff(message: MessageKey, pauseMs: number): Promise<void> {
    const at = new Date(this.clock.now().getTime() + pauseMs);
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

  /** Cancels a message whose template was deleted together with all its passes. */
  private endWithoutTemplate(accountId: string, messageId: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const message = await this.messages.lock(tx, accountId, messageId);
      if (message?.dueAt) await this.messages.cancel(tx, message, this.clock.now());
    });
  }
}

function throwFirst(failures: readonly unknown[]): void {
  if (failures.length > 0) throw failures[0];
}

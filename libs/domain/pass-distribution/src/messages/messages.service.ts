import { Injectable } from '@nestjs/common';
import { AuditLog } from '@passwright/accounts';
import { Clock, newId } from '@passwright/core';
import { Database } from '@passwright/database';
import { IssuedPassesService, type PassAddress, PassNotFound } from '@passwright/passes';
import { shareTemplate, type Template, TemplatesService } from '@passwright/templates';
import type { EntityManager } from 'typeorm';
import { MessageJobs } from './message-jobs.service.js';
import { requireFewPlanned, requireRoomOfPass, requireRoomOfTemplate } from './message-limits.js';
import { MessageSender, planDelivery } from './message-sender.service.js';
import type { PassMessageRequest, TemplateMessageRequest } from './message-request.dto.js';
import { type MessageResponse, toMessageResponse } from './message.dto.js';
import type { MessageRow } from './message.entity.js';
import { MessageEnded, MessageNotFound } from './messages.errors.js';
import { MessagesRepository } from './messages.repository.js';
import { newMessage } from './new-message.js';

type Step = 'paused' | 'resumed' | 'cancelled';

/** Plans messages to the holders of passes, and pauses, resumes and cancels them. */
@Injectable()
export class MessagesService {
  constructor(
    private readonly database: Database,
    private readonly messages: MessagesRepository,
    private readonly templates: TemplatesService,
    private readonly issued: IssuedPassesService,
    private readonly sender: MessageSender,
    private readonly jobs: MessageJobs,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Plans a message to the holders of one pass. If it is due, it is sent in the same transaction.
   * @throws TemplateNotFound, PassNotFound, ValidationFailed, RateLimited
   */
  async createForPass(address: PassAddress, request: PassMessageRequest): Promise<MessageResponse> {
    const { accountId, templateId, passId } = address;
    const template = await this.templates.get(accountId, templateId);
    return this.database.transaction(async (tx) => {
      // Lock the pass before its messages, like the code that deletes a pass.
      if (!(await this.issued.lock(tx, address))) throw new PassNotFound(templateId, passId);
      const message = newMessage(address, request, this.clock.now());
      await this.messages.supersede(tx, message, message.createdAt);
      await requireRoomOfPass(tx, this.messages, address, message.createdAt);
      await this.insert(tx, message);
      let isDue = true;
      while (isDue) isDue = await this.sender.advance(tx, template, message);
      // Most messages are sent already, so they do not wait for each other.
      if (message.status !== 'sent') await requireFewPlanned(tx, this.messages, accountId);
      return toMessageResponse(message);
    });
  }

  /**
   * Plans a message to the holders of many passes. A job sends the message.
   * @throws TemplateNotFound, ValidationFailed, RateLimited
   */
  async createForTemplate(
    { accountId, id: templateId }: Pick<Template, 'accountId' | 'id'>,
    request: TemplateMessageRequest,
  ): Promise<MessageResponse> {
    const id = newId('msg');
    const job = await this.jobs.jobOf({ accountId, id });
    return this.database.transaction(async (tx) => {
      // The deletion of the template cancels its messages, so it must not miss this one.
      await shareTemplate(tx, accountId, templateId);
      await this.templates.get(accountId, templateId, tx);
      // If messages with one topic arrive simultaneously, only the last stays planned.
      await this.messages.lockToMany(tx, accountId);
      const message = { ...newMessage({ accountId, templateId, passId: null }, request, this.clock.now()), id };
      await this.messages.supersede(tx, message, message.createdAt);
      await requireRoomOfTemplate(tx, this.messages, message, message.createdAt);
      await this.insert(tx, message);
      await this.jobs.add(tx, job);
      await requireFewPlanned(tx, this.messages, accountId);
      return toMessageResponse(message);
    });
  }

  /**
   * Pauses a message after the current batch. Does nothing if the message is already paused.
   * @throws MessageNotFound, MessageEnded
   */
  pause(accountId: string, id: string): Promise<MessageResponse> {
    return this.change(accountId, id, 'paused', (message) => {
      Object.assign(message, { status: 'paused', dueAt: null });
    });
  }

  /** Continues a paused message. Does nothing if it is not paused. @throws MessageNotFound, MessageEnded */
  resume(accountId: string, id: string): Promise<MessageResponse> {
    return this.change(accountId, id, 'resumed', (message) => {
      const now = this.clock.now();
      message.status = message.startedAt ? 'sending' : 'scheduled';
      if (message.step === 'deliver' && !message.startedAt) planDelivery(message, now);
      else message.dueAt = now;
    });
  }

  /**
   * Cancels a message. Passes that got the message keep it. Does nothing if it is already cancelled. @throws
   * MessageNotFound, MessageEnded
   */
  cancel(accountId: string, id: string): Promise<MessageResponse> {
    return this.change(accountId, id, 'cancelled', (message) => {
      Object.assign(message, { status: 'cancelled', dueAt: null, finishedAt: this.clock.now() });
    });
  }

  private async change(
    accountId: string,
    id: string,
    step: Step,
    apply: (message: MessageRow) => void,
  ): Promise<MessageResponse> {
    const job = await this.jobs.jobOf({ accountId, id });
    return this.database.transaction(async (tx) => {
      const message = await this.messages.lock(tx, accountId, id);
      if (!message) throw new MessageNotFound(id);
      const { status } = message;
      const isRunning = status === 'scheduled' || status === 'sending';
      if (status === step || (step === 'resumed' && isRunning)) return toMessageResponse(message);
      if (!isRunning && status !== 'paused') throw new MessageEnded(message, step);
      apply(message);
      await this.messages.update(tx, message);
      if (message.dueAt) await this.jobs.add(tx, job);
      await this.record(tx, message, step);
      return toMessageResponse(message);
    });
  }

  private async insert(tx: EntityManager, message: MessageRow): Promise<void> {
    await this.sender.plan(tx, message);
    await this.messages.insert(tx, message);
    await this.record(tx, message, 'created');
  }

  private record(tx: EntityManager, { accountId, id }: MessageRow, step: Step | 'created'): Promise<void> {
    return this.auditLog.record(tx, { accountId, action: `message.${step}`, target: { kind: 'message', id } });
  }
}

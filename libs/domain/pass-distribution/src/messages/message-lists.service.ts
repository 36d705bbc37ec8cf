import { Injectable } from '@nestjs/common';
import { Clock, type Page, type PageQuery, requestOrigin, SameKeyQueue } from '@passwright/core';
import { IssuedPassesService, type PassAddress, PassMessagesService, PassNotFound } from '@passwright/passes';
import { TemplatesService } from '@passwright/templates';
import { audienceOf, count, MessageAudienceService, outcomeAtLast } from './message-audience.service.js';
import {
  type MessageForecast,
  type MessageRecipient,
  type MessageResponse,
  type MessagesQuery,
  type PassMessageResponse,
  toMessageProgress,
  toMessageResponse,
  toPassMessageResponse,
} from './message.dto.js';
import type { TemplateMessageRequest } from './message-request.dto.js';
import type { MessageRow } from './message.entity.js';
import { MessageSettingsService } from './settings/message-settings.service.js';
import { MessageRecipientsRepository } from './message-recipients.repository.js';
import { MessageNotFound } from './messages.errors.js';
import { MessagesRepository } from './messages.repository.js';
import { newMessage } from './new-message.js';

/** The number of passes that a dry run reads at a time. */
const readAtOnce = 1000;

/** Lists messages and their recipients, and forecasts which passes a message would reach. */
@Injectable()
export class MessageListsService {
  private readonly forecasts = new SameKeyQueue();

  constructor(
    private readonly messages: MessagesRepository,
    private readonly recipients: MessageRecipientsRepository,
    private readonly templates: TemplatesService,
    private readonly passes: PassMessagesService,
    private readonly issued: IssuedPassesService,
    private readonly audience: MessageAudienceService,
    private readonly settings: MessageSettingsService,
    private readonly clock: Clock,
  ) {}

  /** @throws MessageNotFound */
  async get(accountId: string, id: string): Promise<MessageResponse> {
    return toMessageResponse(await this.find(accountId, id));
  }

  /** Lists messages, newest first. @throws ValidationFailed for a cursor of another list */
  list(accountId: string, query: MessagesQuery): Promise<Page<MessageResponse>> {
    return this.messages.list(accountId, query, toMessageResponse);
  }

  /** Lists the passes that have a message. @throws MessageNotFound, ValidationFailed for a cursor of another list */
  async listRecipients(accountId: string, id: string, query: PageQuery): Promise<Page<MessageRecipient>> {
    return this.recipients.list(await this.find(accountId, id), query);
  }

  /** Lists the messages of a pass, newest first. @throws PassNotFound, ValidationFailed for a cursor of another list */
  async listOfPass(address: PassAddress, query: PageQuery): Promise<Page<PassMessageResponse>> {
    if (!(await this.issued.find(address))) throw new PassNotFound(address.templateId, address.passId);
    return this.recipients.listOfPass(address, query, toPassMessageResponse);
  }

  /**
   * Counts the passes that a message would reach, and the passes that it would not reach. @throws TemplateNotFound,
   * ValidationFailed
   */
  forecast(accountId: string, templateId: string, request: TemplateMessageRequest): Promise<MessageForecast> {
    const { gone, share = accountId } = requestOrigin() ?? {};
    // Run the forecasts of a founder's accounts one after another, because each reads all passes of a template.
    return this.forecasts.run(share, () => this.examine(accountId, templateId, request, gone), gone);
  }

  private async examine(
    accountId: string,
    templateId: string,
    request: TemplateMessageRequest,
    gone: AbortSignal | undefined,
  ): Promise<MessageForecast> {
    const template = await this.templates.get(accountId, templateId);
    const message = newMessage({ accountId, templateId, passId: null }, request, this.clock.now());
    const sendAt = await this.settings.sendTime(message, message.sendAt);
    for (let after: string | null = ''; after !== null;) {
      gone?.throwIfAborted();
      const passes = await this.passes.page(audienceOf(message, template), after, readAtOnce, sendAt);
      const sorted = await this.audience.sort(message, passes, sendAt);
      count(message, sorted, sorted.chosen, passes.length, outcomeAtLast);
      after = passes.length < readAtOnce ? null : (passes.at(-1)?.passId ?? null);
    }
    return { ...toMessageProgress(message), sendAt: sendAt.toISOString() };
  }

  private async find(accountId: string, id: string): Promise<MessageRow> {
    const message = await this.messages.find(accountId, id);
    if (!message) throw new MessageNotFound(id);
    return message;
  }
}

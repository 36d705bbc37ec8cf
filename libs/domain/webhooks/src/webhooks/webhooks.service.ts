import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AccountMembersService, AuditLog, changesBetween } from '@passwright/accounts';
import {
  Clock,
  decodeCursor,
  isDateTime,
  LimitExceeded,
  newId,
  nextUpdate,
  toPage,
  type IfMatch,
  type Page,
  type PageQuery,
  type Principal,
} from '@passwright/core';
import { Database } from '@passwright/database';
import { Jobs } from '@passwright/jobs';
import type { EntityManager } from 'typeorm';
import { readableTypes, requireEventScopes } from '../event-types/event-access.js';
import { WebhooksOptions } from '../webhooks.options.js';
import { WebhookDue } from './webhooks.jobs.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';
import { webhookUrl } from './webhook-url.js';
import {
  requireWebhookSettings,
  toWebhookResponse,
  type NewWebhookRequest,
  type WebhookPatch,
  type WebhookResponse,
  type WebhookWithSecretResponse,
} from './webhook.dto.js';
import type { Webhook } from './webhook.entity.js';
import { WebhookNotFound } from './webhooks.errors.js';
import { WebhooksRepository } from './webhooks.repository.js';

/** The maximum number of webhooks per account, because each webhook adds to the cost of every event. */
const MAX_WEBHOOKS = 20;
const OVERLAP_HOURS = 24;
const webhookId = /^whk_[0-9A-Za-z]{22}$/;

/** Manages the webhooks of accounts. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly repository: WebhooksRepository,
    private readonly members: AccountMembersService,
    private readonly secrets: WebhookSecretsService,
    private readonly database: Database,
    private readonly jobs: Jobs,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
    private readonly options: WebhooksOptions,
  ) {}

  /**
   * @returns the webhook with its secret, which later responses do not contain. @throws ValidationFailed. @throws
   * Forbidden if the caller may not read the events or has lost access meanwhile. @throws Unauthorized.
   * @throws LimitExceeded if the account already has 20 webhooks
   */
  async create(caller: Principal, request: NewWebhookRequest): Promise<WebhookWithSecretResponse> {
    const { accountId } = caller;
    const types = request.types ?? readableTypes(caller);
    requireEventScopes(caller, types);
    const [now, secret] = [this.clock.now(), this.secrets.create()];
    const webhook: Webhook = {
      accountId,
      id: newId('whk'),
      name: request.name ?? null,
      url: this.urlOf(request.url),
      types,
      secret: this.secrets.encrypt(accountId, secret),
      previousSecret: null,
      previousSecretUntil: null,
      disabledAt: null,
      disabledBecause: null,
      failingSince: null,
      heldUntil: null,
      createdAt: now,
      updatedAt: now,
    };
    await this.database.transaction(async (tx) => {
      await this.members.lock(tx, accountId);
      await this.members.holdAdmin(tx, caller);
      if ((await this.repository.count(tx, accountId)) >= MAX_WEBHOOKS) {
        throw new LimitExceeded(`The account has ${MAX_WEBHOOKS} webhooks, the most that there can be: delete one.`);
      }
      await this.repository.insert(tx, webhook);
      await this.auditLog.record(tx, { ...actionOn(webhook, 'webhook.created'), after: settingsOf(webhook) });
    });
    return { ...toWebhookResponse(webhook, { pending: 0, problem: null }, now), secret };
  }

  /** Lists webhooks, newest first. @throws ValidationFailed for a cursor of another list */
  async list(accountId: string, { limit, cursor }: PageQuery): Promise<Page<WebhookResponse>> {
    const [createdAt, id] = decodeCursor(cursor, isDateTime, (text) => webhookId.test(text)) ?? [];
    const after = createdAt && id ? { createdAt: new Date(createdAt), id } : null;
    const webhooks = await this.repository.list(accountId, limit + 1, after);
    const responses = await this.responsesOf(accountId, webhooks);
    return toPage(
      responses,
      limit,
      (webhook) => [webhook.createdAt, webhook.id],
      (webhook) => webhook,
    );
  }

  /** @throws WebhookNotFound */
  async find(accountId: string, id: string): Promise<Webhook> {
    const webhook = webhookId.test(id) ? await this.repository.find(accountId, id) : null;
    if (!webhook) throw new WebhookNotFound(id);
    return webhook;
  }

  /** @throws WebhookNotFound */
  async get(accountId: string, id: string): Promise<WebhookResponse> {
    const webhook = await this.find(accountId, id);
    const [response] = await this.responsesOf(accountId, [webhook]);
    if (!response) throw new WebhookNotFound(id);
    return response;
  }

  /** @throws WebhookNotFound. @throws ValidationFailed. @throws Forbidden. @throws PreconditionFailed */
  async update(caller: Principal, id: string, patch: WebhookPatch, ifMatch: IfMatch): Promise<WebhookResponse> {
    const { accountId } = caller;
    const url = patch.url === undefined ? undefined : this.urlOf(patch.url);
    await this.change(accountId, id, async (tx, webhook) => {
      requireWebhookSettings(ifMatch, { ...webhook, enabled: webhook.disabledAt === null });
      const changed = this.patched(webhook, patch, url);
      if (changesReceiver(patch)) {
        requireEventScopes(caller, changed.types);
        // A transaction that is still open may yet add events of the present types, which go to a later address.
        if (!isDeepStrictEqual(changed.types, webhook.types)) requireEventScopes(caller, webhook.types);
        if (changed.url !== webhook.url) await this.requirePending(tx, caller, webhook);
        await this.members.holdAdmin(tx, caller);
      }
      const changes = changesBetween(settingsOf(webhook), settingsOf(changed));
      if (!changes) return;
      await this.repository.update(tx, webhook, {
        ...changed,
        updatedAt: nextUpdate(this.clock.now(), webhook.updatedAt),
      });
      await this.auditLog.record(tx, { ...actionOn(webhook, 'webhook.changed'), ...changes });
      // Resume the deliveries that waited while the webhook was disabled or had another address.
      if (changed.disabledAt === null) await this.jobs.add(tx, new WebhookDue({ accountId, webhookId: id }));
    });
    return this.get(accountId, id);
  }

  /** Deletes a webhook and stops its pending deliveries. @throws WebhookNotFound. @throws PreconditionFailed */
  delete(accountId: string, id: string, ifMatch: IfMatch = null): Promise<void> {
    return this.change(accountId, id, async (tx, webhook) => {
      requireWebhookSettings(ifMatch, { ...webhook, enabled: webhook.disabledAt === null });
      await this.repository.delete(tx, accountId, id);
      await this.auditLog.record(tx, { ...actionOn(webhook, 'webhook.deleted'), before: settingsOf(webhook) });
    });
  }

  /**
   * Creates a new secret for the webhook. The old secret stays valid for `overlapHours`. @throws WebhookNotFound.
   * @throws PreconditionFailed
   */
  async rotate(
    accountId: string,
    id: string,
    overlapHours: number | null,
    ifMatch: IfMatch = null,
  ): Promise<WebhookWithSecretResponse> {
    const [now, secret] = [this.clock.now(), this.secrets.create()];
    const overlapMs = (overlapHours ?? OVERLAP_HOURS) * 3_600_000;
    await this.change(accountId, id, async (tx, webhook) => {
      requireWebhookSettings(ifMatch, { ...webhook, enabled: webhook.disabledAt === null });
      const isStored = overlapMs > 0 && this.secrets.isUsable(webhook);
      const previousSecretUntil = isStored ? new Date(now.getTime() + overlapMs) : null;
      await this.repository.update(tx, webhook, {
        secret: this.secrets.encrypt(accountId, secret),
        previousSecret: isStored ? webhook.secret : null,
        previousSecretUntil,
        updatedAt: nextUpdate(now, webhook.updatedAt),
      });
      await this.auditLog.record(tx, { ...actionOn(webhook, 'webhook.rotated'), after: { previousSecretUntil } });
      await this.jobs.add(tx, new WebhookDue({ accountId, webhookId: id }));
    });
    return { ...(await this.get(accountId, id)), secret };
  }

  /**
   * Rejects a new address by a caller who may not read all events that it would get: pending events may have types that
   * the webhook no longer receives. @throws Forbidden
   */
  private async requirePending(tx: EntityManager, caller: Principal, webhook: Webhook): Promise<void> {
    if (readableTypes(caller) === null) return;
    requireEventScopes(caller, webhook.types);
    requireEventScopes(caller, await this.repository.listPendingTypes(tx, webhook));
  }

  private change(
    accountId: string,
    id: string,
    work: (tx: EntityManager, webhook: Webhook) => Promise<void>,
  ): Promise<void> {
    return this.database.transaction(async (tx) => {
      const webhook = webhookId.test(id) ? await this.repository.findForUpdate(tx, accountId, id) : null;
      if (!webhook) throw new WebhookNotFound(id);
      await work(tx, webhook);
    });
  }

  /** Applies a patch. Clears the recorded failures of a webhook that is enabled again or gets a new address. */
  private patched(webhook: Webhook, patch: WebhookPatch, url: string | null | undefined): Webhook {
    const { name = webhook.name, types = webhook.types, enabled } = patch;
    const changed = { ...webhook, name, types, url: url === undefined ? webhook.url : url };
    if (enabled === false) changed.disabledAt ??= this.clock.now();
    const isEnabled = enabled === true && webhook.disabledAt !== null;
    if (isEnabled) Object.assign(changed, { disabledAt: null, disabledBecause: null });
    if (isEnabled || !isDeepStrictEqual(changed.url, webhook.url)) {
      Object.assign(changed, { failingSince: null, heldUntil: null });
    }
    return changed;
  }

  private async responsesOf(accountId: string, webhooks: readonly Webhook[]): Promise<WebhookResponse[]> {
    const now = this.clock.now();
    const ids = webhooks.map(({ id }) => id);
    const pending = await this.repository.countPending(accountId, ids);
    return webhooks.map((webhook) => {
      const signing = this.secrets.signing(webhook, now);
      const problem = 'problem' in signing ? signing.problem : null;
      return toWebhookResponse(webhook, { pending: pending.get(webhook.id) ?? 0, problem }, now);
    });
  }

  private urlOf(text: string | null | undefined): string | null {
    return typeof text === 'string' ? webhookUrl(text, this.options.hostsAllowed ?? []) : null;
  }
}

/** Returns true if a patch changes who receives events or which events they get. A new name does not. */
function changesReceiver({ url, types, enabled }: WebhookPatch): boolean {
  return url !== undefined || types !== undefined || enabled === true;
}

function settingsOf({ name, url, types, disabledAt }: Webhook) {
  return { name, url, types, enabled: disabledAt === null };
}

function actionOn({ accountId, id }: Webhook, action: string) {
  return { accountId, action, target: { kind: 'webhook', id } };
}

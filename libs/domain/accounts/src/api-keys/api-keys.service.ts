import { timingSafeEqual } from 'node:crypto';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import {
  Clock,
  decodeCursor,
  isDateTime,
  LimitExceeded,
  Listeners,
  loggedError,
  type Page,
  type PageQuery,
  type Principal,
  randomId,
  scopes,
  TestAccounts,
  toPage,
  Unauthorized,
  ValidationFailed,
} from '@passwright/core';
import { Database } from '@passwright/database';
import { AuditLog } from '../audit/audit-log.service.js';
import { AccountMembersService, rotatedMeanwhile } from '../accounts/account-members.service.js';
import { requireScopes } from '../accounts/role-scopes.js';
import { apiKeyId, apiKeySecret, apiKeySecretHash, apiKeyText, parseApiKey, secretRefOf } from './api-key-format.js';
import { AgentTools } from './agent-tools.service.js';
import {
  toApiKeyResponse,
  type ApiKeyResponse,
  type ApiKeyWithSecretResponse,
  type NewApiKeyRequest,
} from './api-key.dto.js';
import { ApiKey } from './api-key.entity.js';
import { ApiKeyListener } from './api-key.listener.js';
import { requestedLimits, requireLimits } from './key-limits.js';
import { AccountBeingDeleted } from '../accounts/account-being-deleted.js';
import { ApiKeyNotFound } from './api-keys.errors.js';
import { ApiKeysRepository, type ApiKeyCredential } from './api-keys.repository.js';

const LAST_USE_PRECISION_MS = 60_000;
const MOST_KEYS = 100;
const tooManyKeys = `The account has ${MOST_KEYS} API keys, which is the limit; revoke one that is not used: DELETE /v1/auth/keys/{keyId}.`;
const noHash = Buffer.alloc(32);

/** Creates, lists, rotates, revokes and authenticates API keys. */
@Injectable()
export class ApiKeysService implements BeforeApplicationShutdown {
  private readonly logger = new Logger('ApiKeys');
  private readonly listeners: Listeners<ApiKeyListener>;
  private readonly lastUses = new Set<Promise<void>>();
  private isStopping = false;

  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly members: AccountMembersService,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly agentTools: AgentTools,
    private readonly clock: Clock,
    private readonly testAccounts: TestAccounts,
    discovery: DiscoveryService,
  ) {
    this.listeners = new Listeners(discovery, ApiKeyListener);
  }

  /**
   * @returns the key with its secret, which is not stored. @throws Forbidden for a scope that the caller lacks, or a key
   * that outlives the caller's key or has fewer limits. @throws Unauthorized or Forbidden if the caller has just lost
   * access. @throws ValidationFailed, LimitExceeded
   */
  async create(caller: Principal, request: NewApiKeyRequest): Promise<ApiKeyWithSecretResponse> {
    const granted = request.scopes ?? caller.scopes.filter((scope) => scope !== 'account:write');
    if (granted.length === 0) throw new ValidationFailed('scopes must be given: you have no other than account:write');
    requireScopes(caller, granted);
    if (request.tools) this.agentTools.requireKnown(request.tools);
    const [now, secret] = [this.clock.now(), apiKeySecret()];
    const limits = requestedLimits(caller, request);
    if (limits.expiresAt && limits.expiresAt <= now) throw new ValidationFailed('expiresAt must be in the future');
    requireLimits(caller, limits);
    const key: ApiKey = {
      accountId: caller.accountId,
      id: randomId(),
      name: request.name,
      secretHash: apiKeySecretHash(secret),
      scopes: scopes.filter((scope) => granted.includes(scope)),
      ...limits,
      lastUsedAt: null,
      createdAt: now,
    };
    await this.database.transaction(async (tx) => {
      if ((await this.repository.countLocked(tx, key.accountId)) >= MOST_KEYS) throw new LimitExceeded(tooManyKeys);
      await this.members.holdAdmin(tx, caller);
      await this.repository.insert(tx, key);
      const { name, scopes, tools, supervised, expiresAt } = key;
      const after = { name, scopes, tools, ...(supervised && { supervised }), expiresAt };
      await this.auditLog.record(tx, { ...changeOf(key, 'key.created'), after });
    });
    return this.shownOnce(key, secret);
  }

  /** Lists keys, newest first. @throws ValidationFailed for a cursor of another list */
  async list(accountId: string, { limit, cursor }: PageQuery): Promise<Page<ApiKeyResponse>> {
    const [createdAt, id] = decodeCursor(cursor, isDateTime, (text) => apiKeyId.test(text)) ?? [];
    const after = createdAt && id ? { createdAt: new Date(createdAt), id } : null;
    const keys = await this.repository.list(accountId, limit + 1, after);
    const isTest = await this.testAccounts.has(accountId);
    const placeOf = (key: ApiKey) => [key.createdAt.toISOString(), key.id];
    return toPage(keys, limit, placeOf, (key) => toApiKeyResponse(key, isTest));
  }

  /** Revokes the key and the invitations that it sent, immediately and on every node. @throws ApiKeyNotFound */
  async revoke(accountId: string, keyId: string): Promise<void> {
    if (!apiKeyId.test(keyId)) throw new ApiKeyNotFound(keyId);
    await this.database.transaction(async (tx) => {
      const found = await this.repository.findForUpdate(tx, accountId, keyId);
      if (!found || !(await this.repository.delete(tx, accountId, keyId))) throw new ApiKeyNotFound(keyId);
      const { name, scopes, tools, supervised } = found;
      const before = { name, scopes, tools, ...(supervised && { supervised }) };
      await this.auditLog.record(tx, { ...changeOf(found, 'key.revoked'), before });
      for (const listener of this.listeners.all) await listener.keyRevoked(tx, accountId, keyId);
    });
  }

  /**
   * Gives the key a new secret. The old secret stops working immediately, on every node.
   * @throws ApiKeyNotFound.
   * @throws Forbidden if the caller lacks a scope of the key, or the key outlives the caller's or has fewer limits.
   * @throws Unauthorized if the caller has just lost access, for example through another rotation
   */
  async rotate(caller: Principal, keyId: string): Promise<ApiKeyWithSecretResponse> {
    if (!apiKeyId.test(keyId)) throw new ApiKeyNotFound(keyId);
    const secret = apiKeySecret();
    const key = await this.database.transaction(async (tx) => {
      await this.members.holdAdmin(tx, caller);
      const found = await this.repository.findToRotate(tx, caller.accountId, keyId);
      if (!found) throw new ApiKeyNotFound(keyId);
      requireOwnSecret(caller, found);
      requireScopes(caller, found.scopes);
      requireLimits(caller, found);
      await this.repository.updateSecret(tx, caller.accountId, keyId, apiKeySecretHash(secret));
      await this.auditLog.record(tx, changeOf(found, 'key.rotated'));
      return found;
    });
    return this.shownOnce(key, secret);
  }

  /**
   * Returns the principal of a key. Rejects a mistyped key without a query.
   * @param isWrite true for a write, whose look-up shares a round trip to the database with other simultaneous writes.
   * @throws Unauthorized
   */
  async authenticate(text: string, isWrite = false): Promise<Principal> {
    const parsed = parseApiKey(text);
    if (!parsed)
      throw new Unauthorized('This is not an API key, or it was cut or mistyped: its checksum does not match.');
    const found = await this.repository.findCredential(parsed, isWrite);
    const isRight = timingSafeEqual(apiKeySecretHash(parsed.secret), found?.secretHash ?? noHash);
    if (!found || !isRight) throw new Unauthorized('The API key is unknown, was rotated or revoked; make another one.');
    const now = this.clock.now();
    if (found.expiresAt && found.expiresAt <= now) {
      throw new Unauthorized(`The API key expired at ${found.expiresAt.toISOString()}; make another one.`);
    }
    if (found.accountDeletesAt) throw new AccountBeingDeleted(found.accountDeletesAt);
    const noted = this.noteUse(found, now);
    if (this.isStopping) await noted;
    const { id, accountId, scopes, tools, supervised, expiresAt } = found;
    const secretRef = secretRefOf(found.secretHash);
    const optional = { ...(tools && { tools }), ...(supervised && { supervised }), ...(expiresAt && { expiresAt }) };
    return { kind: 'apiKey', id, accountId, secretRef, scopes, ...optional };
  }

  /**
   * Writes the pending last-use times before the database closes. Each later request waits until its own last use is
   * written.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.lastUses);
  }

  private async shownOnce(key: ApiKey, secret: string): Promise<ApiKeyWithSecretResponse> {
    const isTest = await this.testAccounts.has(key.accountId);
    return { ...toApiKeyResponse(key, isTest), key: apiKeyText({ ...key, secret, isTest }) };
  }

  /**
   * Updates the last-use time of a key. Never throws. A request waits for the update only while the node shuts down.
   */
  private async noteUse(key: ApiKeyCredential, now: Date): Promise<void> {
    const staleBefore = new Date(now.getTime() - LAST_USE_PRECISION_MS);
    if (key.lastUsedAt && key.lastUsedAt > staleBefore) return;
    const write = this.database
      .transaction((tx) => this.repository.updateLastUse(tx, key, now, staleBefore))
      .catch((error: unknown) =>
        this.logger.warn(`The use of key ${key.id} was not noted: ${loggedError(error).message}`),
      )
      .finally(() => this.lastUses.delete(write));
    this.lastUses.add(write);
    await write;
  }
}

/**
 * Rejects a key that rotates itself with an outdated secret. Otherwise, a thief with the old secret could replace the
 * owner's new one.
 * @throws Unauthorized
 */
function requireOwnSecret({ kind, id, secretRef }: Principal, found: ApiKey): void {
  if (kind !== 'apiKey' || id !== found.id || secretRef === undefined) return;
  if (secretRefOf(found.secretHash) !== secretRef) throw new Unauthorized(rotatedMeanwhile);
}

function changeOf({ accountId, id }: ApiKey, action: string) {
  return { accountId, action, target: { kind: 'key', id } };
}

import { Injectable } from '@nestjs/common';
import { Clock, newId, requestOrigin, Unauthorized, type Principal } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AccountsOptions } from '../accounts.options.js';
import { AuditLog, type AuditEntry } from '../audit/audit-log.service.js';
import { parseRefreshToken, refreshSecret, refreshSecretHash, refreshTokenText } from './refresh-token.js';
import { sessionTarget } from './session-audit-target.js';
import { SessionsRepository, type SessionKey, type SessionRole } from './sessions.repository.js';

/** A session with its refresh token, which is not stored. */
export interface OpenSession extends SessionKey {
  readonly uid: string;
  readonly refreshToken: string;
}

/** Opens, refreshes and ends sessions. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly repository: SessionsRepository,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
    private readonly options: AccountsOptions,
  ) {}

  /** Opens a session for a member of the account. @throws Unauthorized if the user was just removed from the account */
  async open(tx: EntityManager, accountId: string, uid: string): Promise<OpenSession> {
    const [id, secret, now] = [newId('ses'), refreshSecret(), this.clock.now()];
    const tokenHash = refreshSecretHash(secret);
    const seen = { lastUsedAt: now, ...seenFrom() };
    const times = { expiresAt: this.endOf(now), createdAt: now };
    await this.repository.insert(tx, { accountId, id, uid, tokenHash, ...times, ...seen });
    const actor = { kind: 'user', id: uid } as const;
    await this.auditLog.record(tx, { accountId, action: 'session.opened', target: sessionTarget(id), actor });
    return { accountId, sessionId: id, uid, refreshToken: refreshTokenText({ accountId, sessionId: id, secret }) };
  }

  /**
   * Opens a session for a signed-in caller in another of their accounts. A simultaneous password reset, which ends all
   * sessions of the user, ends this one too.
   * @throws Unauthorized if the caller's session has just ended
   */
  async openFor(tx: EntityManager, caller: Principal, accountId: string): Promise<OpenSession> {
    const key = { accountId: caller.accountId, sessionId: caller.sessionId ?? '' };
    if (!(await this.repository.holdLiving(tx, key, caller.id, this.clock.now()))) {
      throw new Unauthorized('The session was ended; log in: POST /v1/auth/login.');
    }
    return this.open(tx, accountId, caller.id);
  }

  /**
   * Exchanges a refresh token for the next one. A token works once, even for simultaneous calls. A second use ends the
   * session, because two parties have the token and one of them is a thief (RFC 9700 §4.14.2).
   * @throws Unauthorized
   */
  async rotate(refreshToken: string): Promise<OpenSession> {
    const token = parseRefreshToken(refreshToken);
    if (!token) throw new Unauthorized('This is not a refresh token of this service; log in: POST /v1/auth/login.');
    const [secret, now] = [refreshSecret(), this.clock.now()];
    const hashes = { old: refreshSecretHash(token.secret), new: refreshSecretHash(secret) };
    const session = await this.database.transaction(async (tx) => {
      const rotated = await this.repository.replaceToken(tx, token, hashes, {
        now,
        expiresAt: this.endOf(now),
        ip: seenFrom().ip,
      });
      // End the session, because the sender may be a thief.
      if (!rotated) await this.end(tx, token);
      return rotated;
    });
    // Throw only after the transaction, which the error would roll back.
    if (!session) {
      throw new Unauthorized('The refresh token was used before, revoked or has expired; log in: POST /v1/auth/login.');
    }
    const { accountId, sessionId } = token;
    return { accountId, sessionId, uid: session.uid, refreshToken: refreshTokenText({ accountId, sessionId, secret }) };
  }

  /**
   * Ends the session of a refresh token, with the session's access tokens. Accepts an outdated token too. Does nothing
   * if the session has already ended.
   */
  async revoke(refreshToken: string): Promise<void> {
    const token = parseRefreshToken(refreshToken);
    if (!token) return;
    await this.database.transaction((tx) => this.end(tx, token, ({ uid }) => ({ kind: 'user', id: uid })));
  }

  /** Returns the current role of the session's user; null if the session has ended or the user was removed. */
  findRole(key: SessionKey, uid: string): Promise<SessionRole | null> {
    return this.repository.findRole(key, uid, this.clock.now());
  }

  private async end(tx: EntityManager, key: SessionKey, actorOf?: (user: { uid: string }) => AuditEntry['actor']) {
    const ended = await this.repository.delete(tx, key, this.clock.now());
    if (!ended) return;
    const actor = actorOf?.(ended);
    const target = sessionTarget(key.sessionId);
    await this.auditLog.record(tx, {
      accountId: key.accountId,
      action: 'session.revoked',
      target,
      ...(actor && { actor }),
    });
  }

  private endOf(start: Date): Date {
    return new Date(start.getTime() + this.options.refreshTokenTtlSeconds * 1000);
  }
}

/** Returns the IP address and user agent of the current request. */
function seenFrom(): { ip: string | null; userAgent: string | null } {
  const { ip = null, userAgent = null } = requestOrigin() ?? {};
  return { ip, userAgent };
}

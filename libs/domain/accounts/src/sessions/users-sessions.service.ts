import { Injectable } from '@nestjs/common';
import { Clock, decodeCursor, isDateTime, NotFound, toPage, type Page, type Principal } from '@passwright/core';
import { Database } from '@passwright/database';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../audit/audit-log.service.js';
import { UserCredentialsRepository } from '../users/user-credentials.repository.js';
import { toSessionResponse, type SessionResponse } from './session.dto.js';
import { sessionTarget } from './session-audit-target.js';
import { SessionsRepository } from './sessions.repository.js';

const idForm = /^ses_[0-9A-Za-z]{22}$/;

/**
 * Lists and ends the sessions of a user across all accounts. A revoked session is rejected from its next request on, on
 * every node.
 */
@Injectable()
export class UsersSessionsService {
  constructor(
    private readonly repository: SessionsRepository,
    private readonly users: UserCredentialsRepository,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Lists sessions, newest first. @throws ValidationFailed for a cursor of another list */
  async list({ id: uid, sessionId }: Principal, limit: number, cursor?: string): Promise<Page<SessionResponse>> {
    const after = decodeCursor(cursor, isDateTime, (id) => idForm.test(id));
    const rows = await this.repository.listOfUser(uid, this.clock.now(), limit + 1, after);
    return toPage(
      rows,
      limit,
      ({ createdAt, id }) => [createdAt.toISOString(), id],
      (row) => toSessionResponse(row, sessionId),
    );
  }

  /** @throws NotFound if the user has no such session */
  async revoke({ id: uid }: Principal, sessionId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const [revoked] = await this.repository.deleteOneOfUser(tx, uid, sessionId);
      if (!revoked) throw new NotFound(`You have no session "${sessionId}".`);
      await this.record(tx, revoked);
    });
  }

  /** Ends all sessions of the user except that of the request. */
  async revokeOthers({ id: uid, sessionId }: Principal): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.users.lock(tx, uid);
      for (const revoked of await this.repository.deleteOfUser(tx, uid, sessionId ?? null))
        await this.record(tx, revoked);
    });
  }

  private record(tx: EntityManager, { accountId, id }: { accountId: string; id: string }): Promise<void> {
    return this.auditLog.record(tx, { accountId, action: 'session.revoked', target: sessionTarget(id) });
  }
}

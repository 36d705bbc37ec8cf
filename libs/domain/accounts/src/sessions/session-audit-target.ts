import { createHash } from 'node:crypto';
import type { AuditEntry } from '../audit/audit-log.service.js';

/**
 * Returns the audit target of a session: 22 characters of its id's SHA-256, the same for all events of the session.
 * The id itself would let a reader of the trail build an outdated refresh token, and so end the session.
 */
export function sessionTarget(id: string): AuditEntry['target'] {
  return { kind: 'session', id: createHash('sha256').update(id).digest('base64url').slice(0, 22) };
}

/** Returns SQL for the id in `sessionTarget`. @param id the SQL of the session's id */
export function sessionTargetIdSql(id: string): string {
  return `left(translate(encode(sha256(convert_to(${id}, 'UTF8')), 'base64'), '+/', '-_'), 22)`;
}

import { createHash } from 'node:crypto';
import type { AuditEntry } from '../audit/audit-log.service.js';

/**
 * Returns the audit target of a session: 22 characters of its id's SHA-256, the same for all events of the session. It
 * must not be the id: with the id, a reader could make an outdated refresh token, which ends the session.
 */
export function sessionTarget(id: string): AuditEntry['target'] {
  return { kind: 'session', id: createHash('sha256').update(id).digest('base64url').slice(0, 22) };
}

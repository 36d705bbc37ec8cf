import { createHash } from 'node:crypto';
import type { AuditEntry } from '../audit/audit-trail.service.js';

/**
 * A session in the audit trail: by 22 characters of its id's SHA-256, by which its events are found together. Not by the id
 * itself, with which anybody could end the session: a refresh token that does not fit does so.
 */
export function sessionTarget(id: string): AuditEntry['target'] {
  return { kind: 'session', id: createHash('sha256').update(id).digest('base64url').slice(0, 22) };
}

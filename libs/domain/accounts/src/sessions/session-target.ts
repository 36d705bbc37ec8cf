import { createHash } from 'node:crypto';
import type { AuditEntry } from '../audit/audit-log.service.js';

/**
 * Returns the audit target of a session: 22 characters of its id's SHA-256, which group its events. The id itself would
 * let a reader end the session: any outdated refresh token does that, and a token contains the id.
 */
export function sessionTarget(id: string): AuditEntry['target'] {
  return { kind: 'session', id: createHash('sha256').update(id).digest('base64url').slice(0, 22) };
}

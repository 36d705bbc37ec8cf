import { isDeepStrictEqual } from 'node:util';
import { nextUpdate, randomId } from '@passwright/core';
import type { PreparedImage } from '@passwright/images';
import type { Template } from '@passwright/templates';
import { randomCode } from './pass-code.js';
import type { PassContent } from './pass-content.js';
import { Pass } from './pass.entity.js';

/** A pass that is issued now. @param thumbnail the one that `content.thumbnailUrl` names */
export function newPass(
  { accountId, id: templateId, type: templateType }: Template,
  id: string,
  content: PassContent,
  thumbnail: PreparedImage | null,
  now: Date,
): Pass {
  return Object.assign(new Pass(), {
    accountId,
    templateId,
    templateType,
    id,
    serialNumber: randomId(),
    expiredAt: expiryAt(content.expiresAt, now),
    redeemedAt: null,
    follows: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
    ...contentColumns(content, thumbnail, null, now),
  });
}

/** The columns that hold `content`. A pass that is void already stays so since then; one without a code gets one. */
export function contentColumns(
  { code, thumbnailUrl: _, voided, ...columns }: PassContent,
  thumbnail: PreparedImage | null,
  voidedAt: Date | null,
  now: Date,
) {
  return { ...columns, code: code ?? randomCode(), thumbnail, voidedAt: voided ? (voidedAt ?? now) : null };
}

/**
 * Makes changes to a pass and counts them: `version` rises with every change, `updatedAt` only with what a holder sees.
 * @param templateUpdatedAt of its template as it is in the transaction
 * @returns what of it changed, where `metadata` is nothing that a holder sees; the pass is untouched by `nothing`
 */
export function makeChanges(
  pass: Pass,
  changes: Partial<Pass>,
  templateUpdatedAt: Date,
  now: Date,
): 'nothing' | 'metadata' | 'content' {
  const names = (Object.keys(changes) as (keyof Pass)[]).filter(
    (name) => !isDeepStrictEqual(pass[name], changes[name]),
  );
  if (names.length === 0) return 'nothing';
  Object.assign(pass, changes);
  pass.version += 1;
  if (names.every((name) => name === 'metadata')) return 'metadata';
  // What has expired is void on phones already: they are not told twice.
  if (pass.expiredAt && names.every((name) => name === 'voidedAt')) return 'metadata';
  if (names.includes('expiresAt')) pass.expiredAt = expiryAt(pass.expiresAt, now);
  pass.updatedAt = nextUpdate(now, pass.updatedAt, templateUpdatedAt);
  return 'content';
}

/** An expiry in the past has passed with the change that sets it; any other has yet to pass, which will be a change too. */
function expiryAt(expiresAt: Date | null, now: Date): Date | null {
  return expiresAt && expiresAt <= now ? now : null;
}

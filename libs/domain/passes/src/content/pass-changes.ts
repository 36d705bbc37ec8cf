import { isDeepStrictEqual } from 'node:util';
import { nextUpdate } from '@passwright/core';
import type { PreparedImage } from '@passwright/images';
import type { Template } from '@passwright/templates';
import { randomCode } from './pass-code.js';
import type { PassContent } from './pass-content.js';
import { Pass } from './pass.entity.js';
import { newSerialNumber } from './serial-number.js';

/**
 * Returns a new pass. The caller adds its links to other passes. @param thumbnail the image at `content.thumbnailUrl`
 */
export function newPass(
  template: Template,
  id: string,
  content: PassContent,
  thumbnail: PreparedImage | null,
  now: Date,
): Pass {
  const { accountId, id: templateId, type: templateType } = template;
  return Object.assign(new Pass(), {
    accountId,
    templateId,
    templateType,
    id,
    serialNumber: newSerialNumber(accountId),
    expiredAt: expiryAt(content.expiresAt, now),
    redeemedAt: null,
    linkedPasses: null,
    managedBy: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
    ...contentColumns(template, content, thumbnail, null, now),
  });
}

/**
 * Returns the columns for `content`, without the links, which need the serial numbers of other passes. A pass that is
 * already void keeps its `voidedAt`. A pass without a code gets a random code.
 */
export function contentColumns(
  { codeFormat }: Template,
  { code, thumbnailUrl: _url, linkedPasses: _links, voided, ...columns }: PassContent,
  thumbnail: PreparedImage | null,
  voidedAt: Date | null,
  now: Date,
) {
  return { code: code ?? randomCode(codeFormat), thumbnail, voidedAt: voided ? (voidedAt ?? now) : null, ...columns };
}

/**
 * The kind of a change.
 * - `content`: holders can see the change
 * - `state`: an expired pass was voided or un-voided. Phones show both as void, but Google Wallet has a state for each
 * - `metadata`: holders cannot see the change
 * - `nothing`: the pass is unchanged
 */
export type PassChange = 'nothing' | 'metadata' | 'state' | 'content';

/**
 * Applies changes to a pass. Increments `version` with every change, and moves `updatedAt` only for changes of the kind
 * `content`.
 * @param templateUpdatedAt the last change of the template, read in the same transaction
 */
export function makeChanges(pass: Pass, changes: Partial<Pass>, templateUpdatedAt: Date, now: Date): PassChange {
  const names = (Object.keys(changes) as (keyof Pass)[]).filter(
    (name) => !isDeepStrictEqual(pass[name], changes[name]),
  );
  if (names.length === 0) return 'nothing';
  Object.assign(pass, changes);
  pass.version += 1;
  if (names.every((name) => name === 'metadata')) return 'metadata';
  // Phones already show an expired pass as void, so they must not fetch it again.
  if (pass.expiredAt && names.every((name) => name === 'voidedAt')) return 'state';
  if (names.includes('expiresAt')) pass.expiredAt = expiryAt(pass.expiresAt, now);
  pass.updatedAt = nextUpdate(now, pass.updatedAt, templateUpdatedAt);
  return 'content';
}

/**
 * Returns the time to record for an expiry in the past; null for a future expiry, which `PassExpiryCron` records when
 * it is due.
 */
function expiryAt(expiresAt: Date | null, now: Date): Date | null {
  return expiresAt && expiresAt <= now ? now : null;
}

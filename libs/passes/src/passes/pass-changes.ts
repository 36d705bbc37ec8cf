import { isDeepStrictEqual } from 'node:util';
import { nextUpdate, randomId } from '@passwright/core';
import type { PreparedImage, Template } from '@passwright/templates';
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
    redeemedAt: null,
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
 * @returns false, the pass untouched, when it is so already
 */
export function makeChanges(pass: Pass, changes: Partial<Pass>, now: Date): boolean {
  const names = (Object.keys(changes) as (keyof Pass)[]).filter(
    (name) => !isDeepStrictEqual(pass[name], changes[name]),
  );
  if (names.length === 0) return false;
  Object.assign(pass, changes);
  pass.version += 1;
  if (names.some((name) => name !== 'metadata')) pass.updatedAt = nextUpdate(pass.updatedAt, now);
  return true;
}

import { createHash } from 'node:crypto';
import { ApiHeader } from '@nestjs/swagger';
import { PreconditionFailed } from '../errors/wire-errors.js';
import { createBodylessParameter } from './bodyless-parameter.js';

const MARK = 'passwright:tagged';

/**
 * A response body with its entity tag. The app sends `ETag` and responds to a matching `If-None-Match` with 304.
 */
export class Tagged<T> {
  /**
   * This property survives copying: a global interceptor of the app, such as a serializer, may replace a result with a
   * copy.
   */
  readonly [MARK] = true;

  constructor(
    readonly body: T,
    readonly etag: string,
  ) {}
}

/** Returns true for a `Tagged` result, and for its copy. */
export function isTagged(result: unknown): result is Tagged<unknown> {
  return typeof result === 'object' && result !== null && Object.hasOwn(result, MARK);
}

/** The tags of an `If-Match` header, or null without the header. */
export type IfMatch = readonly string[] | null;

/** Returns true if a list of entity tags contains this tag by weak comparison (RFC 9110 §8.8.3.2), or contains `*`. */
export function namesTag(tags: readonly string[], etag: string): boolean {
  const opaque = (tag: string) => tag.replace(/^W\//, '');
  return tags.some((tag) => tag === '*' || opaque(tag) === opaque(etag));
}

/** Parses the tags of an `If-Match` or `If-None-Match` header. */
export function parseTags(header: string): string[] {
  return header
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

/**
 * Rejects a write whose `If-Match` does not name the current version. Call it with the row locked. @throws
 * PreconditionFailed
 */
export function requireMatch(ifMatch: IfMatch, what: string, currentTag: string): void {
  if (ifMatch && !namesTag(ifMatch, currentTag)) throw new PreconditionFailed(what, currentTag);
}

/**
 * Creates an entity tag of two parts: a hash of the settings that callers can change, and a hash of the whole response.
 * A conditional read compares both, a conditional change only the first.
 */
export function settingsTag(settings: unknown, response: unknown): string {
  return `"${hashOf(settings)}.${hashOf(response)}"`;
}

/**
 * Works like `requireMatch` for tags from `settingsTag`. Ignores the second part, which depends on more than callers can
 * change. @throws PreconditionFailed
 */
export function requireSettingsMatch(ifMatch: IfMatch, what: string, settings: unknown): void {
  const parts = ifMatch?.map((tag) => tag.replace(/^(?:W\/)?("[^".]*)\.[^"]*"$/, '$1"')) ?? null;
  requireMatch(parts, what, `"${hashOf(settings)}"`);
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}

const IfMatchHeader = createBodylessParameter((_, context): IfMatch => {
  const header = context.switchToHttp().getRequest<{ headers: Record<string, string | undefined> }>().headers[
    'if-match'
  ];
  return header === undefined ? null : parseTags(header);
});

/** Injects true if the request has `If-None-Match: *`, so that it may create a resource but not update one. */
export const MustBeNew = createBodylessParameter((_, context): boolean => {
  const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string | undefined> }>();
  return headers['if-none-match']?.trim() === '*';
});

/** Injects the tags of `If-Match`; null without the header. */
export function IfMatchTags(): ParameterDecorator {
  return (target, key, index) => {
    IfMatchHeader()(target, key, index);
    if (key === undefined) return;
    const descriptor = Object.getOwnPropertyDescriptor(target, key);
    if (!descriptor) return;
    ApiHeader({
      name: 'If-Match',
      required: false,
      description:
        'The ETag that you read last. The request fails with 412 `precondition_failed` if that ETag is no longer current.',
    })(target, key, descriptor);
  };
}

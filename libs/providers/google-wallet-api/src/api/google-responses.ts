import type { HttpResponse } from './http-exchange.js';

/**
 * The meaning of an API response.
 * - `done`: the request succeeded
 * - `missing`, `exists`: the resource does not exist, or already exists
 * - `unauthorized`: the token was rejected
 * - `rejected`, `credential_rejected`: permanent; the resource or the credential is wrong
 * - `busy`: temporary; the same request may succeed
 * - `later`: a quota is used up; wait longer
 */
export type Meaning =
  'done' | 'missing' | 'exists' | 'unauthorized' | 'rejected' | 'credential_rejected' | 'busy' | 'later';

export interface ReadResponse {
  readonly meaning: Meaning;
  readonly status: number;
  /** Google's reason and message, or null when done. */
  readonly reason: string | null;
  readonly retryAfterSeconds: number | null;
  /** Empty when the response is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

const MAX_REASON = 500;
/** Google's reasons in 403 responses to requests that come too fast. */
const TOO_FAST = ['rateLimitExceeded', 'userRateLimitExceeded', 'RATE_LIMIT_EXCEEDED'];
const USED_UP = ['quotaExceeded', 'dailyLimitExceeded'];
const LATER_SECONDS = 300;

/**
 * Interprets an API response by its status, and a 403 by Google's reason. Never throws.
 * @see https://developers.google.com/wallet/reference/rest
 */
export function readResponse({ status, text, retryAfterSeconds }: HttpResponse): ReadResponse {
  const fields = jsonObject(text);
  const { reason, words } = errorOf(fields);
  const meaning = meaningOf(status, reason, fields !== null || text === null);
  const fallback = status < 300 ? 'The response is not from Google Wallet; is its address right?' : `Status ${status}.`;
  return {
    meaning,
    status,
    reason: meaning === 'done' ? null : oneLine(words ?? fallback),
    retryAfterSeconds: retryAfterSeconds ?? (meaning === 'later' ? LATER_SECONDS : null),
    body: fields ?? {},
  };
}

function meaningOf(status: number, reason: string | null, readable: boolean): Meaning {
  if (status >= 200 && status < 300) return readable ? 'done' : 'busy';
  if (status === 401) return 'unauthorized';
  if (status === 403) {
    if (reason !== null && TOO_FAST.includes(reason)) return 'busy';
    return reason !== null && USED_UP.includes(reason) ? 'later' : 'credential_rejected';
  }
  if (status === 404) return 'missing';
  if (status === 409) return 'exists';
  if (status === 408 || status === 429) return 'busy';
  return status >= 400 && status < 500 ? 'rejected' : 'busy';
}

interface Problem {
  readonly reason: string | null;
  readonly words: string | null;
}

/** Reads both of Google's error formats: `errors` with reasons, and `status` with `details`. */
function errorOf(fields: Record<string, unknown> | null): Problem {
  const error = fields?.error as
    { message?: unknown; status?: unknown; errors?: unknown; details?: unknown } | undefined;
  if (typeof error !== 'object' || error === null) return { reason: null, words: null };
  const first = listOf(error.errors)[0] as { reason?: unknown } | null | undefined;
  const reason = text(first?.reason) ?? text(error.status);
  const violations = listOf(error.details)
    .flatMap((detail) => listOf((detail as { fieldViolations?: unknown } | null)?.fieldViolations))
    .map((violation) => text((violation as { description?: unknown } | null)?.description));
  const words = [reason, text(error.message), ...violations].filter((part) => part !== null);
  return { reason, words: words.length > 0 ? [...new Set(words)].join(': ') : null };
}

/** Parses a JSON object. Returns null for any other text. */
export function jsonObject(json: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json ?? '');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** Returns the start of a text as one line that is safe for logs and database rows. */
export function oneLine(words: string): string {
  // Neither Postgres nor log lines accept control characters or unpaired surrogates.
  return words
    .slice(0, MAX_REASON)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll(/\p{Cs}/gu, '\ufffd')
    .trim();
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]).slice(0, 5) : [];
}

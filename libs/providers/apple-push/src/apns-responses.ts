import type { PushResult, PushOutcome } from '@passwright/core';

/** A rule that interprets responses of the push service. */
export interface ResponseRule {
  readonly status: number;
  /** The reason that the rule matches; null matches all other reasons with this status. */
  readonly reason: string | null;
  readonly outcome: PushOutcome;
  /** An explanation to append to the push service's reason, if the outcome alone does not show the remedy. */
  readonly explanation?: string;
  /** The minimum pause before a retry if the response names no pause. */
  readonly retryAfterSeconds?: number;
  /** True if later pushes must use a new connection. */
  readonly reconnect?: true;
}

const OTHER_PASS_TYPE = 'the certificate does not belong to the pass type of these passes';
const OTHER_TOKEN = 'the push token does not belong to the pass type of these passes';
const PROGRAM_ERROR = 'an error of this program, if other devices are rejected for it too';
const PROGRAM_ERRORS = [
  [400, 'BadExpirationDate'],
  [400, 'BadPriority'],
  [400, 'BadMessageId'],
  [400, 'BadCollapseId'],
  [400, 'InvalidPushType'],
  [400, 'DuplicateHeaders'],
  [400, 'MissingDeviceToken'],
  [400, 'PayloadEmpty'],
  [404, 'BadPath'],
  [405, 'MethodNotAllowed'],
  [413, 'PayloadTooLarge'],
] as const;
const CERTIFICATE = 'the push service rejects the certificate: it is revoked, out of date, or not for passes';
const NO_CERTIFICATE = 'the push service saw no client certificate';
const TOO_MANY_PAUSE_SECONDS = 5 * 60;
/** Matches the id of a push. Apple documents it as a UUID. */
const PUSH_ID = /^[\w-]{1,64}$/;
const MAX_RETRY_AFTER_SECONDS = 24 * 60 * 60;
const ACCEPTED: ResponseRule = { status: 200, reason: null, outcome: 'accepted' };

/**
 * Lists every response that Apple documents, then a fallback for each status. The first matching row applies.
 * @see https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns
 */
export const responseRules: readonly ResponseRule[] = [
  ACCEPTED,
  { status: 400, reason: 'BadDeviceToken', outcome: 'bad_token' },
  { status: 400, reason: 'DeviceTokenNotForTopic', outcome: 'invalid', explanation: OTHER_TOKEN },
  ...['TopicDisallowed', 'BadTopic', 'MissingTopic'].map((reason): ResponseRule => ({
    status: 400,
    reason,
    outcome: 'credential_rejected',
    explanation: OTHER_PASS_TYPE,
  })),
  { status: 400, reason: 'IdleTimeout', outcome: 'retry', reconnect: true },
  ...PROGRAM_ERRORS.map(([status, reason]): ResponseRule => ({
    status,
    reason,
    outcome: 'invalid',
    explanation: PROGRAM_ERROR,
  })),
  { status: 400, reason: null, outcome: 'rejected', explanation: PROGRAM_ERROR },
  ...['InvalidProviderToken', 'ExpiredProviderToken', 'MissingProviderToken'].map((reason): ResponseRule => ({
    status: 403,
    reason,
    outcome: 'credential_rejected',
    explanation: NO_CERTIFICATE,
  })),
  // Covers BadCertificate, BadCertificateEnvironment and Forbidden.
  { status: 403, reason: null, outcome: 'credential_rejected', explanation: CERTIFICATE },
  { status: 404, reason: null, outcome: 'rejected', explanation: PROGRAM_ERROR },
  { status: 405, reason: null, outcome: 'rejected', explanation: PROGRAM_ERROR },
  // Covers Unregistered and ExpiredToken.
  { status: 410, reason: null, outcome: 'gone' },
  { status: 413, reason: null, outcome: 'rejected', explanation: PROGRAM_ERROR },
  { status: 429, reason: null, outcome: 'retry', retryAfterSeconds: TOO_MANY_PAUSE_SECONDS },
  { status: 503, reason: null, outcome: 'retry', reconnect: true },
];
const byKey = new Map(responseRules.map((rule) => [`${rule.status} ${rule.reason ?? ''}`, rule]));

/** A response as received. */
export interface RawResponse {
  readonly status: number;
  readonly pushId: string | null;
  /** The body; null if it was too long to read. */
  readonly body: string | null;
  readonly retryAfter: string | undefined;
}

/** Interprets a response. Never throws, whatever the peer sends. */
export function interpret(response: RawResponse): [PushResult, ResponseRule] {
  return response.status === 200 ? [accepted(response.pushId), ACCEPTED] : rejected(response);
}

/** Returns the result of a push with status 200, which almost all pushes have. */
export function accepted(pushId: string | null): PushResult {
  return {
    outcome: 'accepted',
    pushId: idOf(pushId),
    status: 200,
    reason: null,
    goneSince: null,
    retryAfterSeconds: null,
  };
}

function rejected({ status, pushId, body, retryAfter }: RawResponse): [PushResult, ResponseRule] {
  const { reason, timestamp } = readBody(body);
  const rule = byKey.get(`${status} ${reason ?? ''}`) ?? byKey.get(`${status} `) ?? undocumented(status);
  const { outcome, explanation } = rule;
  const name = reason ?? `Status ${status} without a reason`;
  const pause = secondsOf(retryAfter) ?? rule.retryAfterSeconds ?? null;
  const result: PushResult = {
    outcome,
    pushId: idOf(pushId),
    status,
    reason: explanation ? `${name}: ${explanation}` : name,
    goneSince: outcome === 'gone' ? timestamp : null,
    retryAfterSeconds: outcome === 'retry' ? pause : null,
  };
  return [result, rule];
}

function idOf(pushId: string | null): string | null {
  return pushId !== null && PUSH_ID.test(pushId) ? pushId : null;
}

interface Details {
  readonly reason: string | null;
  readonly timestamp: Date | null;
}
const noDetails: Details = { reason: null, timestamp: null };

/**
 * Returns the rule for an undocumented response. An unknown rejection (4xx) may affect every push; other failures may
 * be temporary.
 */
function undocumented(status: number): ResponseRule {
  return status >= 400 && status < 500
    ? { status, reason: null, outcome: 'rejected', explanation: PROGRAM_ERROR }
    : { status, reason: null, outcome: 'retry' };
}

function readBody(body: string | null): Details {
  if (!body) return noDetails;
  try {
    const { reason, timestamp } = JSON.parse(body) as { reason?: unknown; timestamp?: unknown };
    return {
      // Accept only a plain name, because the reason goes into logs and database rows.
      reason: typeof reason === 'string' && /^\w{1,64}$/.test(reason) ? reason : null,
      timestamp: typeof timestamp === 'number' ? validDate(timestamp) : null,
    };
  } catch {
    return noDetails;
  }
}

function validDate(ms: number): Date | null {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Reads Retry-After in seconds. Push services never send the date form. */
function secondsOf(retryAfter: string | undefined): number | null {
  if (!retryAfter || !/^\d{1,9}$/.test(retryAfter)) return null;
  return Math.min(Number(retryAfter), MAX_RETRY_AFTER_SECONDS);
}

import { appError } from './app-error.js';
import { rateLimitHeaders, type RatePolicy } from './rate-limit-headers.js';

/** 400: the request's content breaks one or more rules. The message lists all of them, separated by `; `. */
export class ValidationFailed extends appError(400, 'validation_failed') {
  /** One sentence per error. A sentence begins with the property at fault, if any. The message joins all sentences. */
  readonly problems: readonly string[];

  constructor(problems: string | readonly string[]) {
    const sentences = typeof problems === 'string' ? [problems] : problems;
    super(sentences.join('; '));
    this.problems = sentences;
  }
}

/** 400: the body is not JSON, is nested deeper than 32 levels, or repeats a name within one object. */
export class MalformedJson extends appError(400, 'malformed_json') {}

/** 401: the credential is missing, invalid or no longer valid. */
export class Unauthorized extends appError(401, 'unauthorized') {
  override readonly headers = { 'WWW-Authenticate': 'Bearer' };
}

/** 401: the access token has expired; refresh it. */
export class TokenExpired extends appError(401, 'token_expired') {
  override readonly headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };
}

/** 403: the credential is valid but does not allow this request. */
export class Forbidden extends appError(403, 'forbidden') {}

/** 403: this route requires an API key, not a user's token. */
export class ApiKeyRequired extends appError(403, 'api_key_required') {}

/** 403: the account has reached one of its limits. */
export class LimitExceeded extends appError(403, 'limit_exceeded') {}

/** 404: no route has this path. */
export class RouteNotFound extends appError(404, 'route_not_found') {}

/** 404: the route exists but the resource does not. */
export class NotFound extends appError(404, 'not_found') {}

/** 405: the path exists only with the methods in `Allow`. */
export class MethodNotAllowed extends appError(405, 'method_not_allowed') {
  override readonly headers: Record<string, string>;

  constructor(method: string, path: string, allowed: readonly string[]) {
    super(`${method} is not allowed on ${path}; use ${allowed.join(' or ')}.`);
    this.headers = { Allow: allowed.join(', ') };
  }
}

/** 409: the idempotency key was already used with a different body. */
export class IdempotencyKeyReused extends appError(409, 'idempotency_key_reused') {}

/** 409: the resource's state does not allow this change. */
export class InvalidTransition extends appError(409, 'invalid_transition') {}

/** 412: `If-Match` names a version that is not the current one, or `If-None-Match: *` names a resource that exists. */
export class PreconditionFailed extends appError(412, 'precondition_failed') {
  /** @param currentTag the current version; null if the request may only create the resource, and it exists */
  constructor(what: string, currentTag: string | null) {
    super(
      currentTag === null
        ? `The ${what} exists, and If-None-Match: * may only create one; leave that header out to replace it.`
        : `The ${what} has changed since you read it: If-Match must be ${currentTag} now; read it again and retry.`,
    );
  }
}

/** 413: the body is larger than the route allows. */
export class PayloadTooLarge extends appError(413, 'payload_too_large') {}

/** 415: the route does not accept the body's media type. */
export class UnsupportedMediaType extends appError(415, 'unsupported_media_type') {}

/**
 * 429: too many requests. `Retry-After` is the number of seconds to wait. If the error has a policy, the rate limit
 * headers describe that policy instead of the limit of requests per minute.
 */
export class RateLimited extends appError(429, 'rate_limited') {
  override readonly headers: Record<string, string>;

  constructor(message: string, retryAfterSeconds: number, policy?: RatePolicy) {
    super(message);
    const headers = policy && rateLimitHeaders(policy, 0, retryAfterSeconds);
    this.headers = { 'Retry-After': String(retryAfterSeconds), ...headers };
  }
}

/** 500: an error of the service. The message is fixed; the log has the cause under the request id. */
export class Internal extends appError(500, 'internal') {
  constructor() {
    super('Something went wrong on our side; the request id in X-Request-Id finds it in the logs.');
  }
}

/**
 * 503: this node cannot respond now, because it is starting, stopping, too busy or cut off from its database. A retry
 * may soon succeed.
 */
export class NotReady extends appError(503, 'not_ready') {
  override readonly headers = { 'Retry-After': '1' };
}

/** The time after which a wallet may be available again if a person has to change its configuration. */
const PERSON_SECONDS = 3600;

/**
 * 503: a wallet is unavailable now (certificate missing or expired, wallet not configured, or it does not respond).
 * `Retry-After` is an hour, unless the wallet may soon be available without a change of its configuration.
 */
export class WalletUnavailable extends appError(503, 'wallet_unavailable') {
  override readonly headers: Readonly<Record<string, string>>;

  constructor(message: string, retryAfterSeconds = PERSON_SECONDS) {
    super(message);
    this.headers = { 'Retry-After': String(retryAfterSeconds) };
  }
}

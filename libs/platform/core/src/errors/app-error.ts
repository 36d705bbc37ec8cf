/**
 * Every error code in the responses of this service. `docs/errors.md` explains the cause and fix of each. Codes never
 * change their meaning.
 */
export type ErrorCode =
  | 'validation_failed'
  | 'malformed_json'
  | 'image_invalid'
  | 'bundle_too_large'
  | 'unauthorized'
  | 'token_expired'
  | 'api_key_required'
  | 'forbidden'
  | 'limit_exceeded'
  | 'route_not_found'
  | 'template_not_found'
  | 'pass_not_found'
  | 'member_not_found'
  | 'invite_not_found'
  | 'key_not_found'
  | 'not_found'
  | 'method_not_allowed'
  | 'template_archived'
  | 'template_in_use'
  | 'pass_exists'
  | 'member_exists'
  | 'email_taken'
  | 'idempotency_key_reused'
  | 'invalid_transition'
  | 'invite_expired'
  | 'pass_deleted'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'internal'
  | 'wallet_unavailable'
  | 'storage_unavailable'
  | 'not_ready';

/** A failure that the caller can act on. The filter turns it into the error body and adds `headers` to the response. */
export abstract class AppError extends Error {
  abstract readonly statusCode: number;
  abstract readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>> = {};
}

/** An error class with its status and code, for `@ApiErrors` and the OpenAPI document. */
export interface AppErrorClass {
  readonly statusCode: number;
  readonly code: ErrorCode;
  readonly prototype: AppError;
}

/**
 * Creates the base of an error class: `class TemplateArchived extends appError(409, 'template_archived') {}`. The
 * message is one sentence that names the wrong value and the fix. Every 503 tells callers when to retry: after a minute,
 * unless the class says something else.
 */
export function appError(statusCode: number, code: ErrorCode) {
  return class extends AppError {
    static readonly statusCode: number = statusCode;
    static readonly code: ErrorCode = code;
    override readonly statusCode: number = statusCode;
    override readonly code: ErrorCode = code;
    override readonly headers: Readonly<Record<string, string>> = statusCode === 503 ? { 'Retry-After': '60' } : {};

    constructor(message: string) {
      super(message);
      this.name = new.target.name;
    }
  };
}

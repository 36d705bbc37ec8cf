/** Every code an answer of this service can carry; `docs/errors.md` gives each its cause and its fix. Codes never change their meaning. */
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
  | 'not_ready';

/** A failure the caller can act on. The filter turns it into the error body; `headers` are added to the answer. */
export abstract class AppError extends Error {
  abstract readonly statusCode: number;
  abstract readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>> = {};
}

/** An error class with its status and code, as `@ApiErrors` and the OpenAPI document read them. */
export interface AppErrorClass {
  readonly statusCode: number;
  readonly code: ErrorCode;
  readonly prototype: AppError;
}

/**
 * The base of one error class: `class TemplateArchived extends appError(409, 'template_archived') {}`.
 * Status and code stand there and nowhere else; the message is one sentence that names the value at fault and the way out.
 */
export function appError(statusCode: number, code: ErrorCode) {
  return class extends AppError {
    static readonly statusCode: number = statusCode;
    static readonly code: ErrorCode = code;
    override readonly statusCode: number = statusCode;
    override readonly code: ErrorCode = code;

    constructor(message: string) {
      super(message);
      this.name = new.target.name;
    }
  };
}

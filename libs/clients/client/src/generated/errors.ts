// Written by `npm run docs:client` from docs/openapi.json and docs/errors.md: do not edit.
import { PasswrightError } from '../passwright-error.js';

/** The codes of the service's own answers. */
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

/** 400. A property, parameter or header breaks a rule; the message names all of them, joined by `; `. Correct what the message names. */
export class ValidationFailed extends PasswrightError {
  declare readonly code: 'validation_failed';
}

/** 400. The body is not JSON, is nested deeper than 32 levels, or repeats a name in one object. Send valid JSON in UTF-8. */
export class MalformedJson extends PasswrightError {
  declare readonly code: 'malformed_json';
}

/** 400. An image cannot be fetched or decoded, is animated, is an SVG, or exceeds 5 MiB, 25 megapixels or 10,000 pixels a side. Use a PNG, JPEG or WebP that the service can reach. */
export class ImageInvalid extends PasswrightError {
  declare readonly code: 'image_invalid';
}

/** 400. The bundle names more than 10 passes. Name at most 10. */
export class BundleTooLarge extends PasswrightError {
  declare readonly code: 'bundle_too_large';
}

/** 401. The credential is missing, wrong, revoked or expired. Sign in, refresh, or use a valid API key. */
export class Unauthorized extends PasswrightError {
  declare readonly code: 'unauthorized';
}

/** 401. The access token has expired. `POST /v1/auth/refresh`. */
export class TokenExpired extends PasswrightError {
  declare readonly code: 'token_expired';
}

/** 403. The route accepts only an API key. Use an API key. */
export class ApiKeyRequired extends PasswrightError {
  declare readonly code: 'api_key_required';
}

/** 403. The credential may not do this, or the account is being deleted. Use an admin's token, or a key with the scope in the message. */
export class Forbidden extends PasswrightError {
  declare readonly code: 'forbidden';
}

/** 403. The account's plan, or the service, allows no more templates, passes or people. Delete what you do not need, or ask the operator for more. */
export class LimitExceeded extends PasswrightError {
  declare readonly code: 'limit_exceeded';
}

/** 404. No route has this path. See `/docs`. */
export class RouteNotFound extends PasswrightError {
  declare readonly code: 'route_not_found';
}

/** 404. The account has no such template. Check the id. */
export class TemplateNotFound extends PasswrightError {
  declare readonly code: 'template_not_found';
}

/** 404. The pass does not exist. Check the ids. */
export class PassNotFound extends PasswrightError {
  declare readonly code: 'pass_not_found';
}

/** 404. The account has no such member. Check the id. */
export class MemberNotFound extends PasswrightError {
  declare readonly code: 'member_not_found';
}

/** 404. No invitation has this code. Check that the link is complete, or ask for a new invitation. */
export class InviteNotFound extends PasswrightError {
  declare readonly code: 'invite_not_found';
}

/** 404. The account has no such API key. Check the id. */
export class KeyNotFound extends PasswrightError {
  declare readonly code: 'key_not_found';
}

/** 404. Not found, for example an image or a user of the account. Check the address. */
export class NotFound extends PasswrightError {
  declare readonly code: 'not_found';
}

/** 405. The path has other methods, which `Allow` names. Use one of them. */
export class MethodNotAllowed extends PasswrightError {
  declare readonly code: 'method_not_allowed';
}

/** 409. The template is archived. Un-archive it first. */
export class TemplateArchived extends PasswrightError {
  declare readonly code: 'template_archived';
}

/** 409. The template has passes, or the membership settings use it. Archive it, delete its passes, or choose another in the settings. */
export class TemplateInUse extends PasswrightError {
  declare readonly code: 'template_in_use';
}

/** 409. The template already has a pass with this id or code. Choose another, or upsert by id. */
export class PassExists extends PasswrightError {
  declare readonly code: 'pass_exists';
}

/** 409. The account already has a member with this e-mail. Change that member. */
export class MemberExists extends PasswrightError {
  declare readonly code: 'member_exists';
}

/** 409. A user with this e-mail is already registered, or already in the account. Sign in; an invited user accepts with an access token. */
export class EmailTaken extends PasswrightError {
  declare readonly code: 'email_taken';
}

/** 409. The `Idempotency-Key` was used with another body. Use a new key for a new request. */
export class IdempotencyKeyReused extends PasswrightError {
  declare readonly code: 'idempotency_key_reused';
}

/** 409. The state does not allow the step, such as redeeming twice, or removing the last admin. Read the resource, then decide. */
export class InvalidTransition extends PasswrightError {
  declare readonly code: 'invalid_transition';
}

/** 410. The invitation was accepted, replaced or revoked, or has expired. Use the latest e-mail, or ask for a new one. */
export class InviteExpired extends PasswrightError {
  declare readonly code: 'invite_expired';
}

/** 410. The pass, or a pass of the bundle, was deleted. Do not use it any more; leave it out of the bundle. */
export class PassDeleted extends PasswrightError {
  declare readonly code: 'pass_deleted';
}

/** 412. `If-Match` names an older version. Read again and retry. */
export class PreconditionFailed extends PasswrightError {
  declare readonly code: 'precondition_failed';
}

/** 413. The body or a file is too large. With status 431, on any route: the address and headers together exceed 16 KiB. Send less; the message gives the limit. */
export class PayloadTooLarge extends PasswrightError {
  declare readonly code: 'payload_too_large';
}

/** 415. The route does not accept the body's `Content-Type`. Send the type in the message. */
export class UnsupportedMediaType extends PasswrightError {
  declare readonly code: 'unsupported_media_type';
}

/** 429. Too many requests, wrong credentials, mails, or simultaneous requests. Wait for `Retry-After` seconds. */
export class RateLimited extends PasswrightError {
  declare readonly code: 'rate_limited';
}

/** 500. An error in the service. Report the `X-Request-Id`. */
export class Internal extends PasswrightError {
  declare readonly code: 'internal';
}

/** 503. The wallet is not set up, or its certificate is missing or expired. The operator sets it up; retry later. */
export class WalletUnavailable extends PasswrightError {
  declare readonly code: 'wallet_unavailable';
}

/** 503. The image storage cannot be used, or lacks an image. Retry after `Retry-After` seconds; the log of the node gives the reason. */
export class StorageUnavailable extends PasswrightError {
  declare readonly code: 'storage_unavailable';
}

/** 503. The node cannot serve this request now; see below. Retry after `Retry-After` seconds. Send writes with their `Idempotency-Key`, because they may have succeeded. */
export class NotReady extends PasswrightError {
  declare readonly code: 'not_ready';
}

/** The class of each code. */
export const errorClasses = {
  validation_failed: ValidationFailed,
  malformed_json: MalformedJson,
  image_invalid: ImageInvalid,
  bundle_too_large: BundleTooLarge,
  unauthorized: Unauthorized,
  token_expired: TokenExpired,
  api_key_required: ApiKeyRequired,
  forbidden: Forbidden,
  limit_exceeded: LimitExceeded,
  route_not_found: RouteNotFound,
  template_not_found: TemplateNotFound,
  pass_not_found: PassNotFound,
  member_not_found: MemberNotFound,
  invite_not_found: InviteNotFound,
  key_not_found: KeyNotFound,
  not_found: NotFound,
  method_not_allowed: MethodNotAllowed,
  template_archived: TemplateArchived,
  template_in_use: TemplateInUse,
  pass_exists: PassExists,
  member_exists: MemberExists,
  email_taken: EmailTaken,
  idempotency_key_reused: IdempotencyKeyReused,
  invalid_transition: InvalidTransition,
  invite_expired: InviteExpired,
  pass_deleted: PassDeleted,
  precondition_failed: PreconditionFailed,
  payload_too_large: PayloadTooLarge,
  unsupported_media_type: UnsupportedMediaType,
  rate_limited: RateLimited,
  internal: Internal,
  wallet_unavailable: WalletUnavailable,
  storage_unavailable: StorageUnavailable,
  not_ready: NotReady,
} as const;

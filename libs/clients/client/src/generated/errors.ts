// Written by `npm run docs:client` from docs/openapi.json and docs/errors.md: do not edit.
import { type CodedError, errorClass } from '../error-classes.js';
export type { ErrorCode } from './error-codes.js';

/** 400. A property, parameter or header breaks a rule; the message names all of them, joined by `; `. Correct what the message names. */
export const ValidationFailed = /* @__PURE__ */ errorClass('validation_failed');
export type ValidationFailed = CodedError<'validation_failed'>;

/** 400. The body is not JSON, is nested deeper than 32 levels, or repeats a name in one object. Send valid JSON in UTF-8. */
export const MalformedJson = /* @__PURE__ */ errorClass('malformed_json');
export type MalformedJson = CodedError<'malformed_json'>;

/** 400. An image cannot be fetched or decoded, is animated, is an SVG, or exceeds 5 MiB, 25 megapixels or 10,000 pixels a side. Use a PNG, JPEG or WebP that the service can reach. */
export const ImageInvalid = /* @__PURE__ */ errorClass('image_invalid');
export type ImageInvalid = CodedError<'image_invalid'>;

/** 400. The bundle names more than 10 passes. Name at most 10. */
export const BundleTooLarge = /* @__PURE__ */ errorClass('bundle_too_large');
export type BundleTooLarge = CodedError<'bundle_too_large'>;

/** 401. The credential is missing, wrong, revoked or expired. Sign in, refresh, or use a valid API key. */
export const Unauthorized = /* @__PURE__ */ errorClass('unauthorized');
export type Unauthorized = CodedError<'unauthorized'>;

/** 401. The access token has expired. `POST /v1/auth/refresh`. */
export const TokenExpired = /* @__PURE__ */ errorClass('token_expired');
export type TokenExpired = CodedError<'token_expired'>;

/** 403. The route accepts only an API key. Use an API key. */
export const ApiKeyRequired = /* @__PURE__ */ errorClass('api_key_required');
export type ApiKeyRequired = CodedError<'api_key_required'>;

/** 403. The credential is not allowed to do this, or the account is being deleted. Use an admin's token, or a key with the scope in the message. */
export const Forbidden = /* @__PURE__ */ errorClass('forbidden');
export type Forbidden = CodedError<'forbidden'>;

/** 403. The account's plan, or the service, allows no more templates, passes or people. Delete what you do not need, or ask the operator for more. */
export const LimitExceeded = /* @__PURE__ */ errorClass('limit_exceeded');
export type LimitExceeded = CodedError<'limit_exceeded'>;

/** 404. No route has this path. See `/docs`. */
export const RouteNotFound = /* @__PURE__ */ errorClass('route_not_found');
export type RouteNotFound = CodedError<'route_not_found'>;

/** 404. The account has no such template. Check the id. */
export const TemplateNotFound = /* @__PURE__ */ errorClass('template_not_found');
export type TemplateNotFound = CodedError<'template_not_found'>;

/** 404. The pass does not exist. Check the ids. */
export const PassNotFound = /* @__PURE__ */ errorClass('pass_not_found');
export type PassNotFound = CodedError<'pass_not_found'>;

/** 404. The account has no such member. Check the id. */
export const MemberNotFound = /* @__PURE__ */ errorClass('member_not_found');
export type MemberNotFound = CodedError<'member_not_found'>;

/** 404. No invitation has this code. Check that the link is complete, or ask for a new invitation. */
export const InviteNotFound = /* @__PURE__ */ errorClass('invite_not_found');
export type InviteNotFound = CodedError<'invite_not_found'>;

/** 404. The account has no such API key. Check the id. */
export const KeyNotFound = /* @__PURE__ */ errorClass('key_not_found');
export type KeyNotFound = CodedError<'key_not_found'>;

/** 404. Not found, for example an image or a user of the account. Check the address. */
export const NotFound = /* @__PURE__ */ errorClass('not_found');
export type NotFound = CodedError<'not_found'>;

/** 405. The path has other methods, which `Allow` names. Use one of them. */
export const MethodNotAllowed = /* @__PURE__ */ errorClass('method_not_allowed');
export type MethodNotAllowed = CodedError<'method_not_allowed'>;

/** 409. The template is archived. Un-archive it first. */
export const TemplateArchived = /* @__PURE__ */ errorClass('template_archived');
export type TemplateArchived = CodedError<'template_archived'>;

/** 409. The template has passes, or the membership settings use it. Archive it, delete its passes, or choose another in the settings. */
export const TemplateInUse = /* @__PURE__ */ errorClass('template_in_use');
export type TemplateInUse = CodedError<'template_in_use'>;

/** 409. The template already has a pass with this id or code. Choose another, or upsert by id. */
export const PassExists = /* @__PURE__ */ errorClass('pass_exists');
export type PassExists = CodedError<'pass_exists'>;

/** 409. The account already has a member with this e-mail. Change that member. */
export const MemberExists = /* @__PURE__ */ errorClass('member_exists');
export type MemberExists = CodedError<'member_exists'>;

/** 409. A user with this e-mail is already registered, or already in the account. Sign in; an invited user accepts with an access token. */
export const EmailTaken = /* @__PURE__ */ errorClass('email_taken');
export type EmailTaken = CodedError<'email_taken'>;

/** 409. The `Idempotency-Key` was used with another body. Use a new key for a new request. */
export const IdempotencyKeyReused = /* @__PURE__ */ errorClass('idempotency_key_reused');
export type IdempotencyKeyReused = CodedError<'idempotency_key_reused'>;

/** 409. The state does not allow the step, such as redeeming twice, or removing the last admin. Read the resource, then decide. */
export const InvalidTransition = /* @__PURE__ */ errorClass('invalid_transition');
export type InvalidTransition = CodedError<'invalid_transition'>;

/** 410. The invitation was accepted, replaced or revoked, or has expired. Use the latest e-mail, or ask for a new one. */
export const InviteExpired = /* @__PURE__ */ errorClass('invite_expired');
export type InviteExpired = CodedError<'invite_expired'>;

/** 410. The pass, or a pass of the bundle, was deleted. Do not use it any more; leave it out of the bundle. */
export const PassDeleted = /* @__PURE__ */ errorClass('pass_deleted');
export type PassDeleted = CodedError<'pass_deleted'>;

/** 412. `If-Match` names an older version, or `If-None-Match: *` a resource that exists. Read again and retry. */
export const PreconditionFailed = /* @__PURE__ */ errorClass('precondition_failed');
export type PreconditionFailed = CodedError<'precondition_failed'>;

/** 413. The body or a file is too large. With status 431, on any route: the address and headers together exceed 16 KiB. Send less; the message gives the limit. */
export const PayloadTooLarge = /* @__PURE__ */ errorClass('payload_too_large');
export type PayloadTooLarge = CodedError<'payload_too_large'>;

/** 415. The route does not accept the body's `Content-Type`. Send the type in the message. */
export const UnsupportedMediaType = /* @__PURE__ */ errorClass('unsupported_media_type');
export type UnsupportedMediaType = CodedError<'unsupported_media_type'>;

/** 429. Too many requests, wrong credentials, mails, or simultaneous requests. Wait for `Retry-After` seconds. */
export const RateLimited = /* @__PURE__ */ errorClass('rate_limited');
export type RateLimited = CodedError<'rate_limited'>;

/** 500. An error in the service. Report the `X-Request-Id`. */
export const Internal = /* @__PURE__ */ errorClass('internal');
export type Internal = CodedError<'internal'>;

/** 503. The wallet is not set up, or its certificate is missing or expired. The operator sets it up; retry after `Retry-After` seconds. */
export const WalletUnavailable = /* @__PURE__ */ errorClass('wallet_unavailable');
export type WalletUnavailable = CodedError<'wallet_unavailable'>;

/** 503. The image storage cannot be used, or lacks an image. Retry after `Retry-After` seconds; the log of the node gives the reason. */
export const StorageUnavailable = /* @__PURE__ */ errorClass('storage_unavailable');
export type StorageUnavailable = CodedError<'storage_unavailable'>;

/** 503. The node cannot serve this request now; see below. Retry after `Retry-After` seconds. Send writes with their `Idempotency-Key`, because they may have succeeded. */
export const NotReady = /* @__PURE__ */ errorClass('not_ready');
export type NotReady = CodedError<'not_ready'>;

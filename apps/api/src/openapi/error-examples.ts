import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorCode } from '@passwright/core';

/** An example message for each code. */
const messages: Readonly<Record<ErrorCode, string>> = {
  validation_failed: 'name must be 1 to 100 characters long',
  malformed_json: 'The body is not valid JSON.',
  image_invalid: 'icon is not a PNG, JPEG or WebP image.',
  bundle_too_large: 'A bundle has at most 10 passes.',
  unauthorized: 'Send an access token or an API key: Authorization: Bearer <token>.',
  token_expired: 'The access token has expired; get another: POST /v1/auth/refresh.',
  api_key_required: 'This route takes an API key only.',
  forbidden: 'The API key lacks the scope account:write.',
  limit_exceeded: 'The plan allows 50 templates.',
  route_not_found: 'There is no route GET /v1/cards.',
  template_not_found: 'There is no template "gold-club"; GET /v1/templates lists those there are.',
  pass_not_found: 'There is no pass "4fzTm0Jd8xYc2LqWvB7RkP".',
  member_not_found: 'There is no member 42.',
  invite_not_found: 'There is no such invitation.',
  key_not_found: 'There is no such API key.',
  not_found: 'There is no such thing.',
  method_not_allowed: 'PATCH is not allowed on /v1/templates; use GET or HEAD.',
  template_archived: 'Template "gold-club" is archived; no new passes can be made from it.',
  template_in_use: 'Template "gold-club" has passes; archive it, or delete them first.',
  pass_exists: 'Template "gold-club" has a pass with this code already.',
  member_exists: 'There is a member with this e-mail already.',
  email_taken: 'A user with this e-mail is registered already.',
  idempotency_key_reused: 'This Idempotency-Key was used with another body.',
  invalid_transition: 'The pass was redeemed before.',
  invite_expired: 'The invitation is no longer good; ask for a new one.',
  pass_deleted: 'The pass was deleted.',
  precondition_failed: 'If-Match names an older version; read again and retry.',
  payload_too_large: 'The body is larger than 1 MiB.',
  unsupported_media_type: 'Send the body as application/json.',
  rate_limited: 'Too many requests; try again in 12 seconds.',
  internal: 'Something went wrong here. Report the request id in X-Request-Id.',
  wallet_unavailable: 'The certificate has expired; its owner can renew it.',
  storage_unavailable: 'This node cannot use its storage of images just now. Try again; the log of the node says why.',
  not_ready: 'This node is starting or stopping; retry later.',
};

interface ErrorContent {
  readonly schema?: {
    readonly allOf?: { readonly properties?: { readonly code?: { readonly enum?: ErrorCode[] } } }[];
  };
  examples?: Record<string, { $ref: string }>;
}

/** Adds an example body for each error code to every response that `@ApiErrors` declares. */
export function addErrorExamples(document: OpenAPIObject): void {
  const examples: Record<string, { value: object }> = {};
  for (const { status, content } of errorContents(document)) {
    const codes = content.schema?.allOf?.flatMap(({ properties }) => properties?.code?.enum ?? []) ?? [];
    if (codes.length === 0) continue;
    content.examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
    for (const code of codes) {
      examples[code] = {
        value: { statusCode: status, code, error: STATUS_CODES[status], message: messages[code] },
      };
    }
  }
  const sorted = Object.entries(examples).sort(([one], [other]) => (one < other ? -1 : 1));
  document.components = { ...document.components, examples: Object.fromEntries(sorted) };
}

function errorContents({ paths }: OpenAPIObject): { status: number; content: ErrorContent }[] {
  type Responses = Record<string, { content?: Record<string, ErrorContent> }>;
  return Object.values(paths)
    .flatMap((path) => Object.values(path as Record<string, { responses: Responses }>))
    .flatMap(({ responses }) => Object.entries(responses))
    .flatMap(([status, { content }]) => {
      const json = content?.['application/json'];
      return json && Number(status) >= 400 ? [{ status: Number(status), content: json }] : [];
    });
}

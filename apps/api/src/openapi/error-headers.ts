import type { OpenAPIObject } from '@nestjs/swagger';

interface DocumentedOperation {
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, { content?: Record<string, object>; headers?: object }>>;
}

function operationsOf({ paths }: OpenAPIObject): DocumentedOperation[] {
  return Object.values(paths).flatMap((path) => Object.values(path) as DocumentedOperation[]);
}

/** The media types of responses that people open by links. */
const opened = ['text/html', 'application/vnd.apple.pkpass', 'application/vnd.apple.pkpasses'];

/** Declares the error pages that browsers get from public operations. */
export function addPagesOfErrors(document: OpenAPIObject): void {
  for (const { security = [], responses } of operationsOf(document)) {
    const isOpened = opened.some((type) => responses['200']?.content?.[type] !== undefined);
    const isForBrowsers = isOpened || responses['302'] !== undefined;
    if (security.length > 0 || !isForBrowsers) continue;
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      response.content = { ...response.content, 'text/html': { schema: { type: 'string' } } };
    }
  }
}

const whole = { type: 'integer' };
const limitHeaders: NonNullable<NonNullable<OpenAPIObject['components']>['headers']> = {
  'Retry-After': {
    required: true,
    description: 'The number of seconds to wait before the next attempt.',
    schema: whole,
  },
  'RateLimit-Limit': { description: 'The number of requests that the limit allows.', schema: whole },
  'RateLimit-Remaining': { description: 'The number of requests that are left.', schema: whole },
  'RateLimit-Reset': { description: 'The number of seconds until the limit is reset.', schema: whole },
  'RateLimit-Policy': {
    description: 'The number of requests allowed, and the length of the window in seconds.',
    schema: { type: 'string', example: '30000;w=60' },
  },
};

const requestId = {
  description: 'The id of the request in the logs of the service; quote it in a report.',
  schema: { type: 'string', maxLength: 128 },
} as const;

const help = {
  description: 'The page with the cause and fix (`rel="help"`).',
  schema: { type: 'string', maxLength: 1000 },
} as const;

/** The headers of every error of a request that counts towards the rate limit. */
const counted = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/**
 * Declares the headers of errors: the id of the request, the link to help, the rate limit and, if it is exceeded or the
 * service is unavailable, the time to wait.
 */
export function addErrorHeaders(document: OpenAPIObject): void {
  document.components = { ...document.components, headers: { ...limitHeaders, 'X-Request-Id': requestId, Link: help } };
  const ofAll = ['X-Request-Id', 'Link'];
  const all = [...Object.keys(limitHeaders), ...ofAll];
  const some = [...counted, ...ofAll];
  const named: Readonly<Record<string, readonly string[]>> = { 429: all, 503: ['Retry-After', ...some] };
  const references = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) as object;
  for (const { responses } of operationsOf(document)) {
    for (const [status, response] of Object.entries(responses))
      if (Number(status) >= 400) response.headers = references(named[status] ?? some);
  }
}

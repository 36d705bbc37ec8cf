import { classOf } from './error-classes.js';
import { type FailureDetails, type PasswrightError, UnexpectedResponse } from './passwright-error.js';

/**
 * Returns the error for a response, or for a line of a response.
 * @param body the parsed JSON, or the text if it is not JSON
 */
export function responseError(body: unknown, response: Response): PasswrightError {
  const details = {
    requestId: response.headers.get('X-Request-Id'),
    retryAfterSeconds: retryAfterSeconds(response.headers.get('Retry-After')),
  };
  if (!isErrorBody(body)) return unexpectedResponse(body, response, details);
  const { code, statusCode, message, docUrl } = body;
  return new (classOf(code))(message, { code, statusCode, docUrl, ...details });
}

export function unexpectedResponse(
  body: unknown,
  { status, url }: Response,
  details: Partial<FailureDetails> = {},
): UnexpectedResponse {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  return new UnexpectedResponse(`${url} returned ${status}, not as Passwright does: ${text.slice(0, 200)}`, {
    ...details,
    code: 'unexpected_response',
    statusCode: status,
  });
}

/** Returns true for a redirect. Browsers hide its target and its status. */
export function isRedirect({ type, status, headers }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('Location'));
}

/** Returns the error for a redirect. @param url the requested address */
export function redirected(url: string, { status, headers }: Response): UnexpectedResponse {
  const location = headers.get('Location');
  const to = location && URL.canParse(location, url) ? new URL(location, url).href : 'another address';
  return new UnexpectedResponse(`${url} redirects to ${to}, which is not followed: give the service's own baseUrl.`, {
    code: 'unexpected_response',
    statusCode: status,
  });
}

/** Parses JSON. Returns undefined for any other text. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isErrorBody(body: unknown): body is { code: string; statusCode: number; message: string; docUrl?: string } {
  const { code, statusCode } = (body ?? {}) as Record<string, unknown>;
  return typeof code === 'string' && typeof statusCode === 'number';
}

/** Parses Retry-After in seconds or as a date. */
function retryAfterSeconds(header: string | null): number | null {
  if (!header) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

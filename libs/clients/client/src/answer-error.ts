import { errorClasses } from './generated/errors.js';
import { type FailureDetails, PasswrightError, UnexpectedAnswer } from './passwright-error.js';

const classes: Readonly<Record<string, typeof PasswrightError | undefined>> = errorClasses;

/** The error that an answer, or a line of one, stands for. @param body parsed where it is JSON, else its text */
export function answerError(body: unknown, response: Response): PasswrightError {
  const details = {
    requestId: response.headers.get('X-Request-Id'),
    retryAfterSeconds: retryAfterSeconds(response.headers.get('Retry-After')),
  };
  if (!isErrorBody(body)) return unexpectedAnswer(body, response, details);
  const { code, statusCode, message } = body;
  const ErrorClass = (Object.hasOwn(classes, code) && classes[code]) || PasswrightError;
  return new ErrorClass(message, { code, statusCode, ...details });
}

export function unexpectedAnswer(
  body: unknown,
  { status, url }: Response,
  details: Partial<FailureDetails> = {},
): UnexpectedAnswer {
  const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
  return new UnexpectedAnswer(`${url} answered ${status}, not as Passwright does: ${text.slice(0, 200)}`, {
    ...details,
    code: 'unexpected_answer',
    statusCode: status,
  });
}

/** Browsers hide where a redirect leads, and its status. */
export function isRedirect({ type, status, headers }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('Location'));
}

/** @param url what was asked for */
export function redirected(url: string, { status, headers }: Response): UnexpectedAnswer {
  const location = headers.get('Location');
  const to = location && URL.canParse(location, url) ? new URL(location, url).href : 'another address';
  return new UnexpectedAnswer(`${url} redirects to ${to}, which is not followed: give the service's own baseUrl.`, {
    code: 'unexpected_answer',
    statusCode: status,
  });
}

/** What a text says as JSON; undefined when it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isErrorBody(body: unknown): body is { code: string; statusCode: number; message: string } {
  const { code, statusCode } = (body ?? {}) as Record<string, unknown>;
  return typeof code === 'string' && typeof statusCode === 'number';
}

/** Of seconds or a date, as HTTP has it. */
function retryAfterSeconds(header: string | null): number | null {
  if (!header) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

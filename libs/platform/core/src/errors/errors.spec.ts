import { ApiErrors, declaredErrors } from '../http/api-errors.js';
import { appError, AppError } from './app-error.js';
import { errorBody } from './error-body.js';
import * as wireErrors from './wire-errors.js';

class TemplateArchived extends appError(409, 'template_archived') {
  constructor(templateId: string) {
    super(`Template "${templateId}" is archived.`);
  }
}

it('appError puts the status and the code on the class and on its instances', () => {
  const error = new TemplateArchived('t1');
  expect([error.statusCode, error.code, error.name]).toEqual([409, 'template_archived', 'TemplateArchived']);
  expect([TemplateArchived.statusCode, TemplateArchived.code]).toEqual([409, 'template_archived']);
  expect(error).toBeInstanceOf(AppError);
});

it('errorBody returns only statusCode, code, error and message if no help page is configured', () => {
  expect(errorBody(new TemplateArchived('t1'))).toEqual({
    statusCode: 409,
    code: 'template_archived',
    error: 'Conflict',
    message: 'Template "t1" is archived.',
  });
});

it('errorBody replaces the half of a character that remains after a long value was cut', () => {
  const cut = `${'x'.repeat(63)}😀`.slice(0, 64);
  expect(errorBody(new TemplateArchived(cut)).message).toBe(`Template "${'x'.repeat(63)}\ufffd" is archived.`);
});

it('errorBody adds the URL of the section of the help page that explains the code', () => {
  const body = errorBody(new TemplateArchived('t1'), 'https://passes.example.com/guides/errors');
  expect(body.docUrl).toBe('https://passes.example.com/guides/errors#template_archived');
});

it('ValidationFailed joins several errors into one message', () => {
  expect(new wireErrors.ValidationFailed(['a is wrong', 'b is wrong']).message).toBe('a is wrong; b is wrong');
});

it('an error adds the headers that its status requires', () => {
  expect(new wireErrors.Unauthorized('x').headers).toEqual({ 'WWW-Authenticate': 'Bearer' });
  expect(new wireErrors.MethodNotAllowed('PUT', '/x', ['GET', 'POST']).headers).toEqual({ Allow: 'GET, POST' });
  expect(new wireErrors.RateLimited('x', 7).headers).toEqual({ 'Retry-After': '7' });
  expect(new wireErrors.RateLimited('x', 7, { limit: 10, windowSeconds: 900 }).headers).toEqual({
    'Retry-After': '7',
    'RateLimit-Limit': '10',
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': '7',
    'RateLimit-Policy': '10;w=900',
  });
});

it('every 503 tells the caller when to retry, even if its class says nothing about it', () => {
  class Closed extends appError(503, 'not_ready') {}
  expect(new Closed('Closed.').headers).toEqual({ 'Retry-After': '60' });
  expect(new wireErrors.NotReady('x').headers).toEqual({ 'Retry-After': '1' });
  expect(new wireErrors.WalletUnavailable('The certificate has expired.').headers).toEqual({ 'Retry-After': '3600' });
  expect(new wireErrors.WalletUnavailable('Too many requests.', 7).headers).toEqual({ 'Retry-After': '7' });
});

it('500 internal refers to the request id and reveals no cause', () => {
  expect(errorBody(new wireErrors.Internal())).toMatchObject({ statusCode: 500, code: 'internal' });
  expect(new wireErrors.Internal().message).toContain('X-Request-Id');
});

it('each wire error class has its own code', () => {
  const codes = Object.values(wireErrors).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
});

it('declaredErrors collects the errors of all decorators of a handler, without duplicates', () => {
  class Controller {
    @ApiErrors(TemplateArchived, wireErrors.NotFound)
    @ApiErrors(wireErrors.Internal, wireErrors.NotFound)
    handle(): void {
      return;
    }
  }
  const codes = declaredErrors(Controller.prototype.handle).map(({ code }) => code);
  expect(codes.sort()).toEqual(['internal', 'not_found', 'template_archived']);
  expect(declaredErrors(() => undefined)).toEqual([]);
});

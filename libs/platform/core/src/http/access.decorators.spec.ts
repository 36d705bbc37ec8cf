import { ACCESS, Public, RequireScope, RequireUser } from './access.decorators.js';
import { declaredErrors } from './api-errors.js';
import { SECRET_RESPONSE, SecretResponse } from './secret-response.js';

class Controller {
  @Public({ unlimited: true })
  probe(): void {
    return;
  }

  @Public()
  open(): void {
    return;
  }

  @RequireScope('passes:read', 'members:read')
  scoped(): void {
    return;
  }

  @RequireUser()
  @SecretResponse()
  user(): void {
    return;
  }
}
const { probe, open, scoped, user } = Controller.prototype;
const codes = (handler: object) => declaredErrors(handler).map(({ code }) => code);

it('each decorator stores the access rule of a route in the metadata that the guard reads', () => {
  const access = [probe, open, scoped, user].map((handler): unknown => Reflect.getMetadata(ACCESS, handler));
  expect(access).toEqual([
    { kind: 'public', unlimited: true, countsItself: false },
    { kind: 'public', unlimited: false, countsItself: false },
    { kind: 'scope', scopes: ['passes:read', 'members:read'] },
    { kind: 'user' },
  ]);
});

it('each decorator declares the errors that come with its access rule', () => {
  expect(codes(probe)).toEqual(['internal']);
  expect(codes(open)).toEqual(['rate_limited', 'internal', 'not_ready']);
  expect(codes(scoped)).toEqual([
    'unauthorized',
    'token_expired',
    'forbidden',
    'rate_limited',
    'internal',
    'not_ready',
  ]);
});

it('only the routes with SecretResponse are marked as secret', () => {
  expect(Reflect.getMetadata(SECRET_RESPONSE, user)).toBe(true);
  expect(Reflect.getMetadata(SECRET_RESPONSE, open)).toBeUndefined();
});

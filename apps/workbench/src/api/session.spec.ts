import { Session } from './session.js';

const base = 'http://localhost:3000';
const tokensOf = (turn: number, expiresIn: number) => ({
  accessToken: `access-${turn}`,
  refreshToken: `refresh-${turn}`,
  expiresIn,
  accountId: 'acc_1',
  uid: 'usr_1',
});

/** A session whose service responds from a script, with the requests that the service received. */
function scripted(expiresIn = 900) {
  const sent: { path: string; token: string | null; body: unknown }[] = [];
  let turn = 0;
  const replies = new Map<string, () => { status: number; body: unknown }>();
  const signIn = () => ({ status: 200, body: tokensOf((turn += 1), expiresIn) });
  for (const path of ['login', 'refresh']) replies.set(`/v1/auth/${path}`, signIn);
  const session = new Session(base, (url, { headers, body }) => {
    const path = new URL(url).pathname;
    const token = new Headers(headers).get('authorization');
    sent.push({ path, token, body: typeof body === 'string' ? JSON.parse(body) : undefined });
    const { status, body: reply } = replies.get(path)?.() ?? { status: 200, body: { data: [], nextCursor: null } };
    return Promise.resolve(
      new Response(JSON.stringify(reply), { status, headers: { 'Content-Type': 'application/json' } }),
    );
  });
  return { session, sent, replies };
}

/** The part of a browser's storage that a session uses. */
function storage(): Storage {
  const items = new Map<string, string>();
  const own = {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
    get length() {
      return items.size;
    },
  };
  return own as unknown as Storage;
}

const unauthorized = () => ({
  status: 401,
  body: { statusCode: 401, code: 'unauthorized', error: 'Unauthorized', message: 'No.' },
});

it('Session refreshes an expiring token once for all requests that wait for it', async () => {
  const { session, sent } = scripted(10);
  await session.signIn('ada@example.com', 'secret');
  await Promise.all([session.api.listTemplates({ limit: 1 }), session.api.listTemplates({ limit: 2 })]);
  expect(sent.filter(({ path }) => path === '/v1/auth/refresh')).toHaveLength(1);
  expect(sent.filter(({ path }) => path === '/v1/templates').map(({ token }) => token)).toEqual([
    'Bearer access-2',
    'Bearer access-2',
  ]);
});

it('Session passes its refresh token to the next page of the tab, which removes it from the storage', async () => {
  const [first, second, tab] = [scripted(), scripted(), storage()];
  await first.session.signIn('ada@example.com', 'secret');
  expect(tab.length).toBe(0);
  first.session.leave(tab);
  expect(tab.length).toBe(1);
  await second.session.resume(tab);
  expect(tab.length).toBe(0);
  expect(second.sent).toEqual([
    { path: '/v1/auth/refresh', token: null, body: expect.objectContaining({ refreshToken: 'refresh-1' }) },
  ]);
  expect(second.session.state.get()).toEqual({ kind: 'user', accountId: 'acc_1' });
});

it('Session removes its refresh token from the storage when the browser shows the page again', async () => {
  const [{ session }, tab] = [scripted(), storage()];
  await session.signIn('ada@example.com', 'secret');
  session.leave(tab);
  session.comeBack(tab);
  expect(tab.length).toBe(0);
});

it('Session stores no API key for the next page', async () => {
  const [{ session }, tab] = [scripted(), storage()];
  await session.useKey('pw_live_x');
  session.leave(tab);
  expect([tab.length, session.state.get()]).toEqual([0, { kind: 'key', isTest: false }]);
});

it('Session recognises a key of a test account', async () => {
  const { session } = scripted();
  await session.useKey('pw_test_x');
  expect(session.state.get()).toEqual({ kind: 'key', isTest: true });
});

it('Session ends with a message when the API rejects its token', async () => {
  const { session, replies } = scripted();
  await session.signIn('ada@example.com', 'secret');
  replies.set('/v1/templates', unauthorized);
  await expect(session.api.listTemplates({ limit: 1 })).rejects.toMatchObject({ statusCode: 401 });
  expect(session.state.get()).toEqual({ kind: 'out', message: 'Your session has ended. Sign in again.' });
});

it('Session stays signed out when the API rejects the refresh token from an earlier page', async () => {
  const [{ session, replies }, tab] = [scripted(), storage()];
  tab.setItem('passwright-refresh-token', 'old');
  replies.set('/v1/auth/refresh', unauthorized);
  await session.resume(tab);
  expect([session.state.get().kind, tab.length]).toEqual(['out', 0]);
});

it('Session keeps a key that may not list templates, but forgets a key that the API rejects', async () => {
  const { session, replies } = scripted();
  const forbidden = { statusCode: 403, code: 'forbidden', error: 'Forbidden', message: 'No.' };
  replies.set('/v1/templates', () => ({ status: 403, body: forbidden }));
  await session.useKey('pw_live_limited');
  expect(session.state.get()).toEqual({ kind: 'key', isTest: false });
  const other = scripted();
  other.replies.set('/v1/templates', unauthorized);
  await expect(other.session.useKey('pw_live_wrong')).rejects.toMatchObject({ statusCode: 401 });
  expect(other.session.state.get().kind).toBe('out');
});

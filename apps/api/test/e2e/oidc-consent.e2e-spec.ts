import { IdentityProvider as OidcProvider } from '@passwright/accounts';
import { DataSource } from 'typeorm';
import { IdentityProvider } from '../support/identity-provider.js';
import { RunningService, type Account, type ApiResponse } from '../support/running-service.js';
import { consentOf, isPage, SignInBrowser, tokenOf } from '../support/sign-in-browser.js';

let provider: IdentityProvider;
let service: RunningService;
let other: RunningService;
let browser: SignInBrowser;

beforeAll(async () => {
  provider = await IdentityProvider.start('http://localhost:3000');
  const environment = provider.environmentFor('http://localhost:3000');
  service = await RunningService.start(environment);
  other = await RunningService.start(environment, service);
  browser = new SignInBrowser(provider, service);
});
afterAll(async () => {
  await Promise.all([other.stop(), provider.stop()]);
  await service.stop();
});

const returnTo = 'https://app.example.com/signed-in';
const rejection = ({ status, body }: ApiResponse) => ({ status, code: body?.code });
const start: SignInBrowser['start'] = (...given) => browser.start(...given);
const come: SignInBrowser['come'] = (...given) => browser.come(...given);
const visit: SignInBrowser['visit'] = (...given) => browser.visit(...given);
const confirm: SignInBrowser['confirm'] = (...given) => browser.confirm(...given);
const agree: SignInBrowser['agree'] = (...given) => browser.agree(...given);
const signIn: SignInBrowser['signIn'] = (...given) => browser.signIn(...given);
const query = <Row>(sql: string, values: unknown[]) => service.app.get(DataSource).query<Row[]>(sql, values);

describe('a sign-in link without a click', () => {
  const invitationFor = async (email: string, owner: Account): Promise<string> =>
    (await owner.post('/v1/account/invite', { email })).body.code;
  const state = async (email: string) =>
    (
      await query<object>(
        `SELECT u.personal, u.password_hash, (SELECT count(*)::int FROM session WHERE uid = u.uid) AS sessions,
           (SELECT count(*)::int FROM account_member WHERE uid = u.uid) AS accounts,
           (SELECT count(*)::int FROM user_identity WHERE uid = u.uid) AS identities
         FROM app_user u WHERE email = $1`,
        [await service.storedEmail(email)],
      )
    )[0];

  it('a link alone changes nothing, and a page explains what a click will do', async () => {
    const [inviter, user] = [await service.register(), await service.register()];
    await inviter.patch('/v1/account', { name: 'Eve <b>Trap</b>' });
    const code = await invitationFor(user.email, inviter);
    const before = await state(user.email);
    provider.newPerson({ email: user.email });
    const [taken, joined] = [await visit(), await visit({ invite: code })];
    for (const response of [taken, joined]) {
      expect([response.status, isPage(response), response.headers.get('cache-control')]).toEqual([
        200,
        true,
        'no-store',
      ]);
      expect(response.headers.get('set-cookie')).toMatch(
        /passwright-consent=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax/,
      );
    }
    expect(taken.bytes.toString()).toContain('its password and all other sessions end');
    expect(joined.bytes.toString()).toContain(
      'You join the account <strong dir="auto">Eve &lt;b&gt;Trap&lt;/b&gt;</strong>',
    );
    expect(await state(user.email)).toEqual(before);

    const invited = provider.newPerson().email ?? '';
    expect(isPage(await visit({ invite: await invitationFor(invited, inviter) }))).toBe(true);
    expect(await state(invited)).toBeUndefined();
  });

  it('a linked user joins an account only after a click, and sees no page if nothing would change', async () => {
    const [inviter, user] = [await service.register(), await service.register()];
    provider.newPerson({ email: user.email });
    await signIn();
    expect((await visit()).body).toMatchObject({ accountId: user.id });
    const code = await invitationFor(user.email, inviter);
    const page = await visit({ invite: code });
    expect(page.bytes.toString()).toContain('You join the account');
    expect(await state(user.email)).toMatchObject({ accounts: 1 });
    expect((await agree(page)).body).toMatchObject({ accountId: inviter.id });
    expect((await visit({ invite: code })).body).toMatchObject({ accountId: inviter.id });
  });

  it('the service remembers the addresses of users who have signed in', async () => {
    const user = await service.register();
    provider.newPerson({ email: user.email });
    await signIn();
    const known = await query<object>(
      'SELECT FROM known_address k JOIN app_user u ON u.uid = k.uid WHERE u.email = $1',
      [await service.storedEmail(user.email)],
    );
    expect(known).toHaveLength(1);
  });

  it('401 unauthorized for a click without the cookie, with the token of another page, or for the second time', async () => {
    provider.newPerson({ email: (await service.register()).email });
    const [page, another] = [await visit(), await visit()];
    const [token, cookie] = [tokenOf(page), consentOf(page)];
    const forged = [
      [token, ''],
      [tokenOf(another), cookie],
      ['', cookie],
      [token, `${cookie.slice(0, -8)}AAAAAAAA`],
    ] as const;
    for (const [given, held] of forged) {
      expect(rejection(await confirm(given, held))).toEqual({ status: 401, code: 'unauthorized' });
    }
    const responses = await Promise.all([confirm(token, cookie), confirm(token, cookie, other)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(rejection(await confirm(token, cookie))).toEqual({ status: 401, code: 'unauthorized' });
  });

  it('the page asks again if the effect of a click has changed meanwhile', async () => {
    const { email = '' } = provider.newPerson();
    const page = await visit({ invite: await invitationFor(email, await service.register()) });
    await query(`INSERT INTO app_user (uid, email, name, created_at) VALUES ('usr_' || $1, $1, 'Ada', now())`, [email]);
    const again = await agree(page);
    expect(again.bytes.toString()).toContain('There is a user with this e-mail');
    expect((await agree(again)).status).toBe(200);
  });

  it('the form may redirect only to this service and to the page that began the sign-in', async () => {
    provider.newPerson({ email: (await service.register()).email });
    const policy = (await visit({ returnTo })).headers.get('content-security-policy');
    expect(policy).toContain("form-action 'self' https://app.example.com;");
    expect((await visit()).headers.get('content-security-policy')).toContain("form-action 'self';");
  });

  it('401 unauthorized for a used state, even if the provider accepts the code', async () => {
    const { email } = await service.register();
    const identity = { ...provider.newPerson({ email }), issuer: provider.issuer, name: null };
    await signIn();
    const { address, held } = await start();
    const back = await provider.visit(address);
    const proven = { issuer: identity.issuer, subject: identity.sub, email, name: null };
    const lenient = [service, other].map((node) =>
      jest.spyOn(node.app.get(OidcProvider), 'redeem').mockResolvedValue(proven),
    );
    const responses = [await come(back, held), await come(back, held), await come(back, held, other)];
    for (const spy of lenient) spy.mockRestore();
    expect(responses.map(({ status }) => status)).toEqual([200, 401, 401]);
  });
});

import { BillingService } from '@passwright/billing';
import { DataSource } from 'typeorm';
import type { ErrorCase } from './device-error-cases.js';
import type { Account, ApiResponse, RunningService } from '../support/running-service.js';

interface Driven {
  readonly service: () => RunningService;
}

/** An account with members. */
interface Club {
  readonly account: Account;
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<ApiResponse>;
}

const settings = '/v1/memberships/settings';
const members = '/v1/memberships/members';
const steps = ['activate', 'suspend', 'cancel', 'renew'] as const;
const later = { expiry: '2099-12-31T23:00:00.000Z' };

export function membershipErrorCases({ service }: Driven): ErrorCase[] {
  /** Creates a new account whose member 1 is active. */
  const club = async (): Promise<Club> => {
    const account = await service().register();
    const token = await account.apiKey();
    const send: Club['send'] = (method, path, body, headers) =>
      service().request(method, path, { token, body, headers });
    await account.saveTemplate('membership', 'club');
    await send('PUT', settings, { templateId: 'club', reminders: [] });
    await send('POST', members, { email: 'ada@example.com', name: 'Ada', status: 'active' });
    return { account, send };
  };
  const inClub = (send: (club: Club) => Promise<ApiResponse>) => async () => send(await club());
  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    inClub(({ send }) => send(method, path, body, headers));
  const archived = (method: string, path: string, body?: unknown) =>
    inClub(async ({ account, send }) => {
      await send('POST', `${members}/1/suspend`);
      await account.post('/v1/templates/club/archive');
      return send(method, path, body);
    });
  const full = (prepare: (club: Club) => Promise<unknown>, path: string, body?: unknown) =>
    inClub(async (ready) => {
      await prepare(ready);
      await service().app.get(BillingService).set(ready.account.id, { maxPassCreations: 1 });
      return ready.send('POST', path, body);
    });
  const expire = async ({ account, send }: Club) => {
    await send('PATCH', `${members}/1`, { expiry: '2020-01-01T00:00:00.000Z' });
    await losePass({ account, send });
  };
  const suspend = async (ready: Club) => {
    await ready.send('POST', `${members}/1/suspend`);
    await losePass(ready);
  };
  const elsewhere = async ({ account, send }: Club) => {
    await account.saveTemplate('membership', 'other');
    await send('PUT', settings, { templateId: 'other', reminders: [] });
    await account.delete('/v1/templates/club');
  };
  const itsPass = (method: string, rest: string, body?: unknown) =>
    inClub(async ({ account, send }) => {
      const { passId } = (await send('GET', `${members}/1`)).body;
      const path = `/v1/pass/club/${passId}${rest}`;
      return service().request(method, path, { token: account.token, body });
    });
  const managed = 'a member manages the pass';
  const newMember = { email: 'bob@example.com', name: 'Bob' };
  const operation = (step: string) => `${step}Member`;
  return [
    ['upsertPass', '409 invalid_transition', managed, itsPass('POST', '', { primaryValue: 'Grace' })],
    ['updatePass', '409 invalid_transition', managed, itsPass('PATCH', '', { voided: true })],
    ['deletePass', '409 invalid_transition', managed, itsPass('DELETE', '')],
    [
      'getMembershipSettings',
      '404 not_found',
      'no settings are stored',
      async () => {
        const account = await service().register();
        return service().request('GET', settings, { token: await account.apiKey() });
      },
    ],
    ['putMembershipSettings', '400 validation_failed', 'no template is named', call('PUT', settings, {})],
    [
      'putMembershipSettings',
      '404 template_not_found',
      'there is no such template',
      call('PUT', settings, { templateId: 'none', reminders: [] }),
    ],
    [
      'putMembershipSettings',
      '409 template_archived',
      'the template is archived',
      archived('PUT', settings, { templateId: 'club', reminders: [] }),
    ],
    [
      'putMembershipSettings',
      '412 precondition_failed',
      'the settings have changed since',
      call('PUT', settings, { templateId: 'club', reminders: [] }, { 'If-Match': '"77"' }),
    ],
    ['createMember', '400 validation_failed', 'the e-mail is missing', call('POST', members, { name: 'Bob' })],
    ['createMember', '403 limit_exceeded', 'the limit is reached', full(() => Promise.resolve(), members, newMember)],
    [
      'createMember',
      '409 member_exists',
      'the address is taken',
      call('POST', members, { ...newMember, email: 'ADA@example.com' }),
    ],
    ['createMember', '409 template_archived', 'the template is archived', archived('POST', members, newMember)],
    [
      'createMember',
      '409 invalid_transition',
      'there are no settings',
      async () => {
        const account = await service().register();
        return service().request('POST', members, { token: await account.apiKey(), body: newMember });
      },
    ],
    ['getMember', '400 validation_failed', 'the id is not a number', call('GET', `${members}/x`)],
    ['updateMember', '400 validation_failed', 'the id is not a number', call('PATCH', `${members}/x`, {})],
    ['listMembers', '400 validation_failed', 'there is no such status', call('GET', `${members}?status=gone`)],
    ...(
      [
        ['getMember', 'GET'],
        ['updateMember', 'PATCH'],
        ['deleteMember', 'DELETE'],
      ] as const
    ).flatMap(([id, method]): ErrorCase[] => {
      const body = method === 'PATCH' ? {} : undefined;
      return [[id, '404 member_not_found', 'there is no such member', call(method, `${members}/77`, body)]];
    }),
    [
      'updateMember',
      '409 member_exists',
      'the address is taken',
      inClub(async ({ send }) => {
        await send('POST', members, newMember);
        return send('PATCH', `${members}/2`, { email: 'ada@example.com' });
      }),
    ],
    [
      'updateMember',
      '409 invalid_transition',
      'the expiry of a cancelled member changes',
      inClub(async ({ send }) => {
        await send('POST', `${members}/1/cancel`);
        return send('PATCH', `${members}/1`, later);
      }),
    ],
    [
      'updateMember',
      '412 precondition_failed',
      'the member has changed',
      call('PATCH', `${members}/1`, {}, { 'If-Match': '"77"' }),
    ],
    [
      'deleteMember',
      '412 precondition_failed',
      'the member has changed',
      call('DELETE', `${members}/1`, undefined, { 'If-Match': '"77"' }),
    ],
    ['renewMember', '400 validation_failed', 'the expiry is missing', call('POST', `${members}/1/renew`, {})],
    ...steps.flatMap((step): ErrorCase[] => [
      [
        operation(step),
        '404 member_not_found',
        'there is no such member',
        call('POST', `${members}/77/${step}`, bodyOf(step)),
      ],
      [
        operation(step),
        '412 precondition_failed',
        'the member has changed',
        call('POST', `${members}/1/${step}`, bodyOf(step), { 'If-Match': '"77"' }),
      ],
      [
        operation(step),
        '409 invalid_transition',
        'the member was cancelled',
        inClub(async ({ send }) => {
          await send('POST', `${members}/1/cancel`);
          return send('POST', `${members}/1/${step}`, bodyOf(step));
        }),
      ],
    ]),
    [
      'activateMember',
      '403 limit_exceeded',
      'the pass was deleted and the limit is reached',
      full(suspend, `${members}/1/activate`),
    ],
    [
      'renewMember',
      '403 limit_exceeded',
      'the pass was deleted and the limit is reached',
      full(expire, `${members}/1/renew`, later),
    ],
    [
      'activateMember',
      '404 template_not_found',
      'pass and template are gone',
      inClub(async (ready) => {
        await suspend(ready);
        await elsewhere(ready);
        return ready.send('POST', `${members}/1/activate`);
      }),
    ],
    [
      'renewMember',
      '404 template_not_found',
      'pass and template are gone',
      inClub(async (ready) => {
        await expire(ready);
        await elsewhere(ready);
        return ready.send('POST', `${members}/1/renew`, later);
      }),
    ],
    ['activateMember', '409 template_archived', 'the template is archived', archived('POST', `${members}/1/activate`)],
    [
      'renewMember',
      '409 template_archived',
      'the template is archived',
      inClub(async ({ account, send }) => {
        await send('PATCH', `${members}/1`, { expiry: '2020-01-01T00:00:00.000Z' });
        await account.post('/v1/templates/club/archive');
        return send('POST', `${members}/1/renew`, later);
      }),
    ],
  ];
}

function bodyOf(step: (typeof steps)[number]): object | undefined {
  return step === 'renew' ? later : undefined;
}

/** Deletes the pass, but not its member. In production, only the restore of a backup can cause this. */
async function losePass({ account, send }: Club): Promise<void> {
  const { body } = await send('GET', `${members}/1`);
  const database = account.service.app.get(DataSource);
  await database.query('DELETE FROM pass WHERE account_id = $1 AND id = $2', [account.id, body.passId]);
}

import fc from 'fast-check';
import { newId, randomId } from '@passwright/core';
import { accountsOptions } from '../accounts.fixtures.js';
import { InviteCodes, isInviteRef } from './invite-codes.service.js';

const codes = new InviteCodes(accountsOptions());
const anInvite = (changes: object = {}) => ({
  accountId: newId('acc'),
  id: randomId(),
  email: 'Grace@example.com',
  ...changes,
});
/** Returns true if the code opens this invitation. */
const opens = (code: string, invite: ReturnType<typeof anInvite>, by = codes) => {
  const presented = by.parse(code);
  return presented !== null && presented.id === invite.id && by.kindOf(presented, invite) !== null;
};

it('InviteCodes derives the same code on every node, with 66 characters that are safe in a link', () => {
  const invite = anInvite();
  const code = codes.codeOf(invite, 'mailed');
  expect(new InviteCodes(accountsOptions()).codeOf(invite, 'mailed')).toBe(code);
  expect(code).toMatch(/^[\w-]{65}\w$/);
  expect(encodeURIComponent(code)).toBe(code);
  expect(opens(code, invite)).toBe(true);
  expect(opens(code, { ...invite, email: 'grace@EXAMPLE.com' })).toBe(true);
});

it('InviteCodes derives a different code if the secret, the e-mail address, the account or the id is different', () => {
  const invite = anInvite();
  const code = codes.codeOf(invite, 'mailed');
  const others = new InviteCodes(accountsOptions({ accessTokenSecret: 'x'.repeat(32) }));
  expect(opens(code, invite, others)).toBe(false);
  expect(opens(code, { ...invite, email: 'eve@example.com' })).toBe(false);
  expect(opens(code, { ...invite, accountId: newId('acc') })).toBe(false);
  expect(opens(randomId() + code.slice(22), invite)).toBe(false);
});

it('InviteCodes finds the account in a code, and accepts codes of earlier versions, which name no account', () => {
  const invite = anInvite();
  const code = codes.codeOf(invite, 'mailed');
  const [id, mac] = [code.slice(0, 22), code.slice(44)];
  expect(codes.parse(code)).toEqual({ id, accountId: invite.accountId, mac });
  expect(codes.parse(id + mac)).toEqual({ id, accountId: null, mac });
  expect([opens(id + mac, invite), opens(id + newId('acc').slice(4) + mac, invite)]).toEqual([true, false]);
});

it('InviteCodes rejects any text that is not an invitation code, and any code with one wrong character', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => expect(codes.parse(text)).toBeNull()));
  const invite = anInvite();
  const code = codes.codeOf(invite, 'mailed');
  for (let place = 0; place < code.length; place++) {
    const other = code[place] === 'A' ? 'Q' : 'A';
    expect(opens(code.slice(0, place) + other + code.slice(place + 1), invite)).toBe(false);
  }
  for (const near of [`${code}\n`, ` ${code}`, code.slice(1), `${code}A`, '']) expect(codes.parse(near)).toBeNull();
});

it('an invitation code starts with the public ref of the invitation, which alone is not a valid code', () => {
  const invite = anInvite();
  expect(codes.codeOf(invite, 'mailed').slice(0, 22)).toBe(invite.id);
  expect(isInviteRef(invite.id)).toBe(true);
  expect(codes.parse(invite.id)).toBeNull();
  expect(isInviteRef(codes.codeOf(invite, 'mailed'))).toBe(false);
});

it('InviteCodes distinguishes the mailed code from the shown code, although both begin with the same ref', () => {
  const invite = anInvite();
  const [mailed, shown] = [codes.codeOf(invite, 'mailed'), codes.codeOf(invite, 'shown')];
  const kindOf = (code: string) => codes.kindOf(codes.parse(code) ?? { id: '', accountId: null, mac: '' }, invite);
  expect([kindOf(mailed), kindOf(shown)]).toEqual(['mailed', 'shown']);
  expect([mailed.slice(0, 22), mailed.slice(44) === shown.slice(44)]).toEqual([invite.id, false]);
});

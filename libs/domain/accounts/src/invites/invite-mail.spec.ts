import fc from 'fast-check';
import { newId, randomId } from '@passwright/core';
import { inviteMail } from './invite-mail.js';
import type { InviteWithNames } from './invites.repository.js';

const url = 'https://passes.example.com/invites/4fzTm0Jd8xYc2LqWvB7RkP9aQe3Zr6Uy1Ht5Nk8Mb2Xcn3K8vQxZ2mT7yLcW5bHf0w';
const anInvite = (changes: Partial<InviteWithNames> = {}): InviteWithNames => ({
  accountId: newId('acc'),
  id: randomId(),
  email: 'grace@example.com',
  isAdmin: false,
  invitedBy: newId('usr'),
  expiresAt: new Date('2026-11-27T10:00:00.000Z'),
  createdAt: new Date('2026-11-20T10:00:00.000Z'),
  endedAt: null,
  endedBy: null,
  accountName: 'Analytical Engines',
  inviterName: 'Ada Lovelace',
  ...changes,
});

it('an invitation e-mail comes from the account and contains the inviter, the account, the role, the expiry and the link', () => {
  const { fromName, subject, text, html } = inviteMail(anInvite({ isAdmin: true }), url);
  expect([fromName, subject]).toEqual(['Analytical Engines', 'Invitation to Analytical Engines']);
  for (const said of ['Ada Lovelace has invited you', 'Analytical Engines', 'as an admin', '27 November 2026', url]) {
    expect(text).toContain(said);
    expect(html).toContain(said);
  }
});

it('an invitation e-mail does not name an inviter if a program sent the invitation', () => {
  expect(inviteMail(anInvite({ inviterName: null }), url).text).toContain('You are invited to the account');
});

it('a name in an invitation e-mail cannot add a header, line, tag, link or message', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
    fc.constantFrom('<a href="https://evil.example">x</a>', 'A\r\nBcc: eve@example.com', 'a\u2028b', '\u202egnp'),
  );
  const lines = (text: string) => text.split('\n').length;
  const plain = inviteMail(anInvite(), url);
  fc.assert(
    fc.property(hostile, hostile, (accountName, inviterName) => {
      const { subject, text, html } = inviteMail(anInvite({ accountName, inviterName }), url);
      expect(subject).not.toMatch(/[\r\n\u2028\u2029]/);
      expect(lines(text)).toBe(lines(plain.text));
      expect(html.match(/<\w+/g)).toEqual(plain.html.match(/<\w+/g));
      expect(html.match(/href="[^"]*"/g)).toEqual(plain.html.match(/href="[^"]*"/g));
    }),
  );
  const linked = inviteMail(
    anInvite({ accountName: 'Win at https://evil.example', inviterName: 'eve@evil.example' }),
    url,
  );
  expect(linked.text + linked.html).not.toMatch(/https:\/\/evil|evil\.example/);
  const long = inviteMail(anInvite({ accountName: 'Buy now! '.repeat(22) }), url);
  expect(long.subject.length).toBeLessThan(120);
});

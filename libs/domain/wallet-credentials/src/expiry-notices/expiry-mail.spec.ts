import { expiryMail, type ExpiryMailContent } from './expiry-mail.js';

const now = new Date('2026-11-20T10:00:00.000Z');
const mail = (changes: Partial<ExpiryMailContent> = {}) =>
  expiryMail(
    {
      passTypeIdentifier: 'pass.com.example.club',
      teamIdentifier: 'TEAM000001',
      organizationName: 'Example Club',
      fingerprint: 'ab'.repeat(32),
      expiresAt: new Date('2026-12-20T10:00:00.000Z'),
      accountName: 'Analytical Engines',
      baseUrl: 'https://passes.example.com',
      ...changes,
    },
    now,
  );

describe("the mail about a certificate's expiry", () => {
  it('the expiry mail contains the expiry, its effects and the steps of the renewal', () => {
    const { subject, text, html } = mail();
    expect(subject).toBe(
      'Apple Wallet certificate pass.com.example.club expires in 30 days, on 20 December 2026 at 10:00 UTC',
    );
    for (const part of [text, html]) {
      for (const word of [
        'Analytical Engines',
        '20 December 2026',
        'TEAM000001 (Example Club)',
        'abab',
        'No new pass',
        'stay valid',
        'no push',
        'https://passes.example.com/v1/account/walletA/request',
        'Certificates, Identifiers',
        'Keep the Pass Type ID',
      ]) {
        expect(part).toContain(word);
      }
    }
    expect(html).not.toMatch(/Identifiers & Profiles/);
  });

  it.each([
    ['2026-11-20T11:00:00.000Z', 'expires within a day, on 20 November 2026 at 11:00 UTC'],
    ['2026-11-21T11:00:00.000Z', 'expires in 1 day, on'],
    ['2026-11-27T10:00:00.000Z', 'expires in 7 days, on'],
    ['2026-11-20T09:59:59.000Z', 'expired on 20 November 2026 at 09:59 UTC'],
  ])('the subject of the expiry mail says when the certificate expires or has expired: %s', (expiresAt, sentence) => {
    expect(mail({ expiresAt: new Date(expiresAt) }).subject).toContain(sentence);
  });

  it('a mail that is sent after the expiry says what has stopped working', () => {
    const { text } = mail({ expiresAt: new Date('2026-11-01T00:00:00.000Z') });
    expect(text).toContain('Since then:');
    expect(text).not.toContain('From then on');
  });

  it('a mail to the operator explains how to renew the certificate', () => {
    const { text } = mail({ accountName: null });
    expect(text).toContain("signs the operator's passes");
    expect(text).toContain('openssl req -new');
    expect(text).not.toContain('/v1/account/walletA');
  });

  it('a name in the expiry mail cannot add a tag, a header or a line', () => {
    const hostile = { accountName: '<b>A</b>\r\nBcc: x@example.com', organizationName: '"&\'\u2028<script>' };
    const { subject, text, html } = mail({ ...hostile, passTypeIdentifier: 'pass.x\nBcc: y@example.com' });
    expect(subject).not.toMatch(/[\r\n]/);
    expect(text).not.toMatch(/^\s*Bcc:/m);
    expect(html).toContain('&lt;b&gt;A&lt;/b&gt;');
    expect(html).not.toMatch(/<b>|<script|"&'/);
  });
});

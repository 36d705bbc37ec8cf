import fc from 'fast-check';
import { emailForm } from './email-form.js';

describe('the form of an e-mail address', () => {
  it('emailForm accepts single addresses', () => {
    const addresses = [
      'ada@example.com',
      "o'neill+passes@mail.example.co.uk",
      'A.B_c-1@xn--bcher-kva.example',
      '1@2.io',
    ];
    expect(addresses.filter((address) => !emailForm.test(address))).toEqual([]);
  });

  it.each([
    [
      'several addresses',
      ['a@example.com,b@example.com', 'a@example.com b@example.com', 'a@example.com;b@example.com'],
    ],
    [
      'display names, quotes and comments',
      ['Ada <a@example.com>', '<a@example.com>', '"a b"@example.com', 'a(b)@c.de'],
    ],
    ['address literals and hosts without a domain', ['a@[127.0.0.1]', 'a@127.0.0.1', 'a@localhost', 'a@example.c']],
    ['dots and hyphens out of place', ['.a@example.com', 'a.@example.com', 'a..b@example.com', 'a@-b.com', 'a@b-.com']],
    ['missing or second @', ['a', '@example.com', 'a@', 'a@b@example.com', `${'a'.repeat(65)}@example.com`]],
    [
      'line breaks and characters beyond ASCII',
      ['a@example.com\n', 'a\r\n@example.com', 'ä@example.com', 'a@exämple.com'],
    ],
  ])('emailForm rejects %s', (_, addresses) => {
    expect(addresses.filter((address) => emailForm.test(address))).toEqual([]);
  });

  it('emailForm rejects everything that a mailer could read as two recipients or a header', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a@.,;<>" \n\r()]{0,12}$/), (noise) => {
        const address = `a${noise}@example.com`;
        if (emailForm.test(address)) expect(address).toMatch(/^[^\s,;<>"()@]+@example\.com$/);
      }),
    );
  });

  it('emailForm matches in linear time; quadratic time would take hours', () => {
    for (const piece of ['a', 'a.', 'a@', 'a-', 'a@a.']) emailForm.test(piece.repeat(500_000));
    emailForm.test(`a@${'a.'.repeat(500_000)}`);
    emailForm.test(`a@${'a-'.repeat(500_000)}`);
  });
});

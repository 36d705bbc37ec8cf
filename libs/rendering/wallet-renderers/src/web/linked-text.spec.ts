import fc from 'fast-check';
import { linkedText } from './linked-text.js';

const links = (text: string) =>
  linkedText(text).flatMap(({ text: shown, href }) => (href === null ? [] : [[shown, href]]));

describe('linkedText', () => {
  it.each([
    ['Read https://example.com/terms.', ['https://example.com/terms', 'https://example.com/terms']],
    ['(see http://example.com/a_(b))', ['http://example.com/a_(b)', 'http://example.com/a_(b)']],
    ['Write to <ada@example.com>, please', ['ada@example.com', 'mailto:ada@example.com']],
    ['Call +47 22 93 (0)12-34 now', ['+47 22 93 (0)12-34', 'tel:+47229301234']],
    ['https://example.com/', ['https://example.com/', 'https://example.com/']],
    ['tel:+47 1234', ['tel:+47 1234', 'tel:+471234']],
  ])('linkedText finds the address in %j', (text, link) => {
    expect(links(text)).toEqual([link]);
  });

  it.each([
    ...['Opens 2026-11-26, 10:00', 'Order 123456789', 'javascript:alert(1)', 'a@b', '@ada', 'ada@@example.com', '+12'],
    ...['+1234567890123456', 'ftp://example.com', 'https://', ''],
    ...[`https://${'東'.repeat(300)}`, `See https://${'東'.repeat(300)}/ now`],
  ])('linkedText finds no address in %j', (text) => {
    expect(links(text)).toEqual([]);
  });

  it('linkedText finds several addresses, and preserves line breaks', () => {
    const text = 'Web: https://a.example\nMail: b@c.example\nPhone: +4930 123456';
    expect(links(text).map(([, href]) => href)).toEqual([
      'https://a.example/',
      'mailto:b@c.example',
      'tel:+4930123456',
    ]);
  });

  it('the parts that linkedText returns always add up to the original text', () => {
    const piece = fc.constantFrom(
      'https://a.example/(',
      ')',
      '+49 30 12345',
      'a@b.example',
      '.',
      ' ',
      '\n',
      '"',
      'x',
      '(',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((all) => all.join('')),
        ),
        (text) => {
          expect(
            linkedText(text)
              .map((part) => part.text)
              .join(''),
          ).toBe(text);
        },
      ),
    );
  });
});

import fc from 'fast-check';
import { rejectedContent, rejectedText } from './rejected-content.js';

describe('rejectedText', () => {
  it('rejectedText accepts exactly the well-formed Unicode texts without control characters', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '\ud83d', '\udc00', '\u0000', '\n\t', '😀'),
        (text, more) => {
          const whole = Buffer.from(text + more).toString() === text + more;
          const control = [...(text + more)].some((c) => /\p{Cc}/u.test(c) && c !== '\n' && c !== '\t');
          expect(rejectedText(text + more) === null).toBe(whole && !control);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('rejectedText names the character that is not allowed', () => {
    expect(rejectedText('a\u0000')).toContain('(U+0000)');
    expect(rejectedText('\ud800x')).toBe('must not hold half a surrogate pair (U+D800)');
  });

  it('rejectedText reads a mebibyte in linear time: quadratic time would take minutes', () => {
    expect(rejectedText('a\n'.repeat(2 ** 19))).toBeNull();
  });
});

describe('rejectedContent', () => {
  it('rejectedContent accepts every JSON value without rejected content', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const clean = !/\\u00|\\u[dD]|[\u007f-\u009f]|__proto__|constructor|prototype|\\[rbf]/.test(
          JSON.stringify(value),
        );
        if (clean) expect(rejectedContent(value)).toBeNull();
      }),
    );
  });

  it('rejectedContent finds rejected content anywhere, and names its path', () => {
    const step = fc.oneof(fc.constantFrom('a', 'fields', 'x y'), fc.nat(3));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 10 }), fc.constantFrom('\u0007', Infinity, NaN), (path, problem) => {
        const value = path.reduceRight<unknown>(
          (inner, key) =>
            typeof key === 'number' ? [...new Array<number>(key).fill(0), inner] : { ok: 1, [key]: inner },
          problem,
        );
        const shown = path.map((key) =>
          typeof key === 'number' ? `[${key}]` : /\W/.test(key) ? `["${key}"]` : `.${key}`,
        );
        const name = shown.join('').replace(/^\./, '') || 'the body';
        expect(rejectedContent(value)).toMatch(new RegExp(`^${name.replace(/[[\].]/g, '\\$&')} must`));
      }),
    );
  });

  it('rejectedContent accepts at most 3,000 values', () => {
    expect(rejectedContent(new Array(2_999).fill(1))).toBeNull();
    expect(rejectedContent(new Array(3_000).fill(1))).toContain('must hold at most 3000 values');
  });

  it('rejectedContent accepts at most 1,000 names in an object', () => {
    const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`name${n}`, 1]));
    expect(rejectedContent({ fields: [named(1000), named(1000)] })).toBeNull();
    expect(rejectedContent({ fields: [named(1001)] })).toBe('fields[0] must hold at most 1000 names');
  });
});

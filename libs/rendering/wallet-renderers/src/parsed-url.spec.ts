import { parsedUrl } from './parsed-url.js';

const longest = '東'.repeat(299);

it('parsedUrl parses addresses, and relative ones with their base', () => {
  expect(parsedUrl('https://例え.example/a?b#c')?.href).toBe('https://xn--r8jz45g.example/a?b#c');
  expect(parsedUrl('../b', new URL('https://a.example/c/d'))?.href).toBe('https://a.example/b');
  expect(parsedUrl('//b.example', new URL('https://a.example/c'))?.href).toBe('https://b.example/');
  expect(parsedUrl('mailto:ada@example.com')?.href).toBe('mailto:ada@example.com');
  for (const text of ['', 'a.example', '../b', 'https://', 'https://a b']) expect(parsedUrl(text)).toBeNull();
});

it.each(['https://', 'HTTP:', ' \u0001https:/', 'https:\\\\', 'ht\ntps:\t//', 'ftp://', 'wss://', '//', '\\\\'])(
  'parsedUrl does not parse a longer host than DNS allows after %j, which would take long',
  (beginning) => {
    const base = new URL('ftp://a.example/');
    expect(parsedUrl(`${beginning}${longest}`, base)?.hostname).toMatch(/^xn--/);
    expect(parsedUrl(`${beginning}${longest}東`, base)).toBeNull();
  },
);

it('parsedUrl accepts a path, a query and a fragment of any length', () => {
  for (const sign of ['/', '?', '#', '\\']) {
    expect(parsedUrl(`https://a.example${sign}${longest}東`)?.hostname).toBe('a.example');
  }
  expect(parsedUrl(`${longest}東`, new URL('https://a.example/'))?.hostname).toBe('a.example');
});

it('parsedUrl counts only the characters of a host, and encoded bytes once', () => {
  expect(parsedUrl(`https://${'u'.repeat(320)}:p@a.example/`)?.hostname).toBe('a.example');
  const encoded = (count: number) => `https://${encodeURIComponent('東'.repeat(count))}.example/`;
  expect(parsedUrl(encoded(20))?.hostname).toMatch(/^xn--/);
  expect(parsedUrl(encoded(100))).toBeNull();
  expect(parsedUrl(`https://${`${'東'.repeat(250)}%`.repeat(40)}.example/`)).toBeNull();
});

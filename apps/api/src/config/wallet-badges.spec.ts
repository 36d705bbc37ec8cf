import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { walletBadges } from './wallet-badges.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'badges-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const svg = (mark: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="110" height="35"><title>${mark}</title></svg>`;
const write = (name: string, text = svg(name)) => writeFileSync(join(folder, name), text);
const address = (text: string) => `data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`;

it('walletBadges reads the artwork of each wallet and language, including the artwork for dark backgrounds', () => {
  for (const name of ['apple-en.svg', 'apple-en.dark.svg', 'apple-pt-BR.svg', 'google-en.svg', 'LICENCE.txt'])
    write(name);
  expect(walletBadges(folder)).toEqual({
    problems: [],
    badges: {
      apple: {
        en: { url: address(svg('apple-en.svg')), darkUrl: address(svg('apple-en.dark.svg')) },
        'pt-br': { url: address(svg('apple-pt-BR.svg')) },
      },
      google: { en: { url: address(svg('google-en.svg')) } },
    },
  });
});

it('walletBadges names each file that it cannot use', () => {
  write('US-UK_Add_to_Apple_Wallet.svg');
  write('google-en.svg', '<html></html>');
  write('google-de.svg', svg('x'.repeat(70_000)));
  write('apple-de.dark.svg');
  mkdirSync(join(folder, 'apple-fr.svg'));
  expect([...walletBadges(folder).problems].sort()).toEqual([
    expect.stringMatching(/^WALLET_BADGES .*US-UK_Add_to_Apple_Wallet\.svg must have a name such as apple-en\.svg/),
    expect.stringMatching(/^WALLET_BADGES .*apple-de\.dark\.svg needs apple-de\.svg beside it/),
    expect.stringMatching(/^WALLET_BADGES .*apple-fr\.svg cannot be read \(EISDIR\)$/),
    expect.stringMatching(/^WALLET_BADGES .*google-de\.svg must be at most 64 KiB/),
    expect.stringMatching(/^WALLET_BADGES .*google-en\.svg is not an SVG image$/),
  ]);
});

it.each([
  ['a folder that does not exist', 'missing', /cannot be read \(ENOENT\)$/],
  ['a folder without artwork', '.', /has no SVG files/],
])('walletBadges reports %s', (_, name, problem) => {
  expect(walletBadges(join(folder, name)).problems).toEqual([expect.stringMatching(problem)]);
});

import { aWebContext } from '../render.fixtures.js';
import { type BundledPass, bundlePage, type BundlePageContext } from './bundle-page.js';
import { hashOf } from './page-policy.js';

const urls = { apple: 'https://a.example/apple', google: 'https://a.example/google', web: 'https://a.example/p' };
const ticket: BundledPass = {
  title: 'Night <Train>',
  issuerName: 'Harbour Hall',
  detail: 'Seat: 7',
  when: 'Saturday, 21 November 2026 · 20:00 CET',
  iconUrl: null,
  ended: null,
  colours: { foreground: '#ffffff', background: '#102030', label: '#ffd479', picture: 0 },
  urls,
};

function page(passes: readonly BundledPass[], changes: Partial<BundlePageContext> = {}) {
  return bundlePage({ passes, urls, development: false, reader: aWebContext().reader, ...changes });
}

describe('bundlePage', () => {
  it('bundlePage shows each pass as a row with the day of its event, in colours that the content security policy allows', () => {
    const { html, contentSecurityPolicy } = page([ticket, ticket]);
    expect(html.match(/<li>/g)).toHaveLength(2);
    expect(html).toContain('<h2 dir="auto">Night &lt;Train&gt;</h2>');
    expect(html).toContain('Harbour Hall · Seat: 7');
    expect(html).toContain('20:00 CET');
    const sheets = [...html.matchAll(/<style>([^<]*)<\/style>/g)].map(([, sheet = '']) => sheet);
    expect(sheets[1]).toContain('li:nth-child(2) summary{--foreground:#ffffff;--background:#102030');
    for (const sheet of sheets) expect(contentSecurityPolicy).toContain(hashOf(sheet));
  });

  it('bundlePage collapses the links of single passes if a button adds all passes', () => {
    expect(page([ticket, ticket]).html).not.toContain('<details open>');
    expect(page([ticket]).html).toContain('<details open>');
  });

  it('bundlePage shows the actions of each pass beside the wallets', () => {
    const shop = { words: 'Shop online', href: 'https://a.example/shop?a=1&b=2' };
    const { html } = page([{ ...ticket, actions: [shop] }, ticket]);
    expect(html.match(/>Shop online</g)).toHaveLength(1);
    expect(html).toContain('href="https://a.example/shop?a=1&amp;b=2" rel="nofollow noopener noreferrer"');
    expect(html.indexOf('Shop online')).toBeLessThan(html.indexOf('href="https://a.example/p"'));
  });

  it('bundlePage shows an ended pass in the colours of the page, with the reason and without wallets', () => {
    const { html } = page([ticket, { ...ticket, ended: 'It was used.' }]);
    expect(html).not.toContain('li:nth-child(2)');
    expect(html).toContain('<p>It was used.</p>');
    expect(html.match(/>Add to Apple Wallet</g)).toHaveLength(1);
  });

  it('bundlePage warns iPhones that some browsers cannot add all passes at once, unless this browser can', () => {
    const reader = { ...aWebContext().reader, device: 'iphone' as const };
    expect(page([ticket, ticket], { reader }).html).toContain('Not every browser');
    expect(page([ticket, ticket], { reader, opensBundles: true }).html).not.toContain('Not every browser');
    expect(page([ticket, ticket], { reader: { ...reader, device: 'android' } }).html).not.toContain(
      'Not every browser',
    );
  });

  it('the page of a bundle has only one notice about development credentials', () => {
    const { html } = page([ticket], { development: true, googleDevelopment: true });
    expect(html.match(/class="note"/g)).toHaveLength(1);
  });
});

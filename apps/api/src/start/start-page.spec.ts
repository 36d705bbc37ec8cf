import { startPage, type StartPageContent } from './start-page.js';

const content: StartPageContent = {
  root: '',
  version: '1.2.3',
  problem: null,
  registration: 'open',
  signsInByProvider: false,
};
const html = (changes: Partial<StartPageContent> = {}) => startPage({ ...content, ...changes }).html;
const links = (page: string) => [...page.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href);

it('the start page shows the link to the workbench first', () => {
  expect(links(html())[0]).toBe('/workbench');
});

it('the first step through the API is the registration if it is open, otherwise the login', () => {
  const firstStep = (page: string) => links(page).find((href) => href?.startsWith('/docs#'));
  expect(firstStep(html())).toBe('/docs#/auth/register');
  expect(links(html({ registration: 'closed' }))).not.toContain('/docs#/auth/register');
  expect(firstStep(html({ registration: 'closed' }))).toBe('/docs#/auth/login');
});

it('the start page names the identity provider only if there is one', () => {
  expect(links(html())).not.toContain('/docs#/auth/startSignIn');
  expect(links(html({ signsInByProvider: true }))).toContain('/docs#/auth/startSignIn');
});

it('the start page says that the service is ready, or why it is not', () => {
  expect(html()).toContain('<p class="state good">The service is ready.</p>');
  expect(html({ problem: 'The clock is <off>.' })).toContain(
    '<p class="state ended">The service is not ready. The clock is &lt;off&gt;.</p>',
  );
});

it('all links of the start page begin with the path of the public address', () => {
  const page = html({ root: '/wallet', signsInByProvider: true });
  expect(links(page).filter((href) => !href?.startsWith('/wallet/'))).toEqual([]);
  expect(page).toContain('src="/wallet/favicon.svg"');
});

it('the content security policy of the start page allows its style sheet and icon, but not scripts', () => {
  expect(html()).not.toMatch(/<script|\sstyle=|\son\w+=/);
  expect(startPage(content).contentSecurityPolicy).toMatch(
    /^default-src 'none'; style-src 'sha256-\S+'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
});

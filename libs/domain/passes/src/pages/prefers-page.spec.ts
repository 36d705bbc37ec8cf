import { prefersPage } from './prefers-page.js';

const request = (accept: string | undefined, method = 'GET') => ({ method, headers: { accept } });
const chromium =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';

it.each([
  [chromium, true],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['text/html', true],
  ['text/html, */*', true],
  ['text/html, application/json', true],
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['application/json', false],
  ['application/json, text/plain, */*', false],
  ['application/json, text/html', false],
  ['application/json, text/html;q=0.9', false],
  ['text/html;q=0, */*', false],
  ['application/vnd.apple.pkpass', false],
  ['*/*, application/json;q=0.1', false],
  ['text/*', false],
  ['text/plain;version=0.0.4;q=0.5, */*;q=0.1', false],
  [',;=q', false],
])('a request with Accept: %s prefers a page: %p', (accept, expected) => {
  expect(prefersPage(request(accept))).toBe(expected);
});

it.each([
  ['HEAD', true],
  ['POST', false],
  ['DELETE', false],
])('a browser’s %s request prefers a page: %p', (method, expected) => {
  expect(prefersPage(request(chromium, method))).toBe(expected);
});

it('a request with a credential does not prefer a page, because a browser opens a URL without a credential', () => {
  const headers = { accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', authorization: 'Bearer x' };
  expect(prefersPage({ method: 'GET', headers })).toBe(false);
});

it('prefersPage reads only the first 1000 characters of the Accept header', () => {
  expect(prefersPage(request(`${'image/png,'.repeat(99)}text/html`))).toBe(true);
  expect(prefersPage(request(`${'image/png,'.repeat(100)}text/html`))).toBe(false);
});

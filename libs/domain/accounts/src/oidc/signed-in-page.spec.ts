import { isForPerson, signedInPage } from './signed-in-page.js';

const baseUrl = 'https://passes.example.com';

it('signedInPage tells invited people that the invitation is accepted, and links to the sign-in page', () => {
  const { status, page } = signedInPage({ baseUrl, signInUrl: `${baseUrl}/workbench` }, { isInvited: true });
  expect(status).toBe(200);
  expect(page.html).toContain('The invitation is accepted.');
  expect(page.html).toContain(`<a class="button" href="${baseUrl}/workbench">Sign in</a>`);
});

it('signedInPage contains no link if the installation has no sign-in page', () => {
  const { page } = signedInPage({ baseUrl }, { isInvited: false });
  expect(page.html).toContain('Your identity is confirmed');
  expect(page.html).not.toContain('class="button"');
});

it.each([
  ['text/html,application/xhtml+xml,*/*;q=0.8', true],
  ['application/json', false],
  ['*/*', false],
  [undefined, false],
])('isForPerson returns true only if the Accept header asks for HTML: %s', (accept, expected) => {
  expect(isForPerson(accept === undefined ? {} : { accept })).toBe(expected);
});

import { Internal, NotReady, RateLimited, RouteNotFound, ValidationFailed, type AppError } from '@passwright/core';
import { errorPage } from './error-page.js';

const html = (failure: AppError, root = '') => errorPage(failure, 'abc-123', root).html;
const hostile = '</dd><script>alert(1)</script>';

it('an error page shows the status, the code with a link, the escaped message and the request id', () => {
  const page = html(new RouteNotFound(`There is no route GET /${hostile}`));
  expect(page).toContain('404 Not Found · <a href="/guides/errors#route_not_found"><code>route_not_found</code></a>');
  expect(page).toContain('<code>abc-123</code>');
  expect(page).toContain('There is no route GET /&lt;/dd&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page).not.toContain('<script');
});

it.each<[AppError, boolean]>([
  [new RateLimited('Too many.', 7), true],
  [new Internal(), true],
  [new NotReady('Starting.'), true],
  [new RouteNotFound('None.'), false],
  [new ValidationFailed('The path is wrong.'), false],
])('the error page for the failure %s offers to try again: %p', (failure, mayRepeat) => {
  expect(html(failure).includes('Try again</a>')).toBe(mayRepeat);
  expect(html(failure, '/wallet').includes('href="/wallet/docs"')).toBe(!mayRepeat);
});

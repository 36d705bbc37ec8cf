import { opensBundles } from './bundle-support.js';

const html = 'text/html,application/xhtml+xml,*/*;q=0.8';
const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';

it.each([
  [true, 'Safari on an iPhone', html, `${iPhone} Version/18.5 Mobile/15E148 Safari/604.1`],
  [
    true,
    'Safari on a Mac',
    html,
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  ],
  [false, 'Chrome on an iPhone', html, `${iPhone} CriOS/140.0.7339.39 Mobile/15E148 Safari/604.1`],
  [false, 'Firefox on an iPhone', html, `${iPhone} FxiOS/142.0 Mobile/15E148 Safari/605.1.15`],
  [false, 'a page inside of an app', html, `${iPhone} Mobile/15E148 [FBAN/FBIOS;FBAV/500.0]`],
  [
    false,
    'Chrome on a desktop',
    html,
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  ],
  [false, 'a browser without a name', html, undefined],
  [true, 'a program', '*/*', 'curl/8.5.0'],
  [true, 'a program that names HTML after another type', 'application/json, text/html;q=0.5', 'curl/8.5.0'],
  [true, 'a program that sends no headers', undefined, undefined],
])('opensBundles returns %s for %s', (expected, _who, accept, userAgent) => {
  expect(opensBundles({ method: 'GET', headers: { accept, 'user-agent': userAgent } })).toBe(expected);
});

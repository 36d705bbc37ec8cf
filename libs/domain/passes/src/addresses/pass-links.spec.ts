import fc from 'fast-check';
import { passLinks } from './pass-links.js';

it('passLinks returns the three links of a pass below the base URL', () => {
  expect(
    passLinks('https://passes.example.com/wallet', { accountId: 'acc_1', templateId: 't.1', passId: 'p-1' }),
  ).toEqual({
    walletAUrl: 'https://passes.example.com/wallet/v1/pass/acc_1/t.1/p-1/walletA',
    walletBUrl: 'https://passes.example.com/wallet/v1/pass/acc_1/t.1/p-1/walletB',
    webUrl: 'https://passes.example.com/wallet/p/acc_1/t.1/p-1',
  });
});

it('passLinks encodes the ids in the path so that they can be parsed again', () => {
  const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
  fc.assert(
    fc.property(id, id, id, (accountId, templateId, passId) => {
      const { webUrl } = passLinks('http://x', { accountId, templateId, passId });
      expect(new URL(webUrl).pathname.split('/').slice(2).map(decodeURIComponent)).toEqual([
        accountId,
        templateId,
        passId,
      ]);
    }),
  );
});

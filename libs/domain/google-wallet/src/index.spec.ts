import * as googleWallet from './index.js';

it('exports exactly these names', () => {
  expect(Object.keys(googleWallet).sort()).toMatchInlineSnapshot(`
    [
      "GoogleDeliveryResponse",
      "GoogleLinkResponse",
      "GoogleLinksService",
      "GoogleProgressService",
      "GoogleWalletModule",
      "GoogleWalletOptions",
      "googleSyncBacklog",
      "saveLinkDescription",
      "saveLinkRedirect",
      "sendSaveLink",
    ]
  `);
});

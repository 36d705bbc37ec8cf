import * as googleWallet from './index.js';

it('exports these names and no others', () => {
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

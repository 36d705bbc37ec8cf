import * as googleWallet from './index.js';

it('the package exports exactly these names', () => {
  expect(Object.keys(googleWallet).sort()).toMatchInlineSnapshot(`
    [
      "GoogleCallbacksService",
      "GoogleDeliveryResponse",
      "GoogleLinkResponse",
      "GoogleLinksService",
      "GoogleMessageListener",
      "GoogleProgressService",
      "GoogleWalletModule",
      "GoogleWalletOptions",
      "QuietHoursListener",
      "googleMessageOutcomes",
      "googleSyncBacklog",
      "saveLinkDescription",
      "saveLinkRedirect",
      "sendSaveLink",
    ]
  `);
});

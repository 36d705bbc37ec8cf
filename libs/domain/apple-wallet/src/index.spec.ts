import * as appleWallet from './index.js';

it('the package exports exactly these names', () => {
  expect(Object.keys(appleWallet).sort()).toMatchInlineSnapshot(`
    [
      "ApplePassesService",
      "AppleWalletModule",
      "AppleWalletOptions",
      "PassDevicesService",
      "PushStateService",
      "applePushBacklog",
      "sendParts",
    ]
  `);
});

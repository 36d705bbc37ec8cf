import * as appleWallet from './index.js';

it('exports these names and no others', () => {
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

import * as appleWallet from './index.js';

it('the package exports exactly these names', () => {
  expect(Object.keys(appleWallet).sort()).toMatchInlineSnapshot(`
    [
      "ApplePassesService",
      "AppleWalletModule",
      "AppleWalletOptions",
      "DeviceLogsService",
      "DeviceRegistrationsService",
      "LatestPassesService",
      "PassDevicesService",
      "PassTokenRejected",
      "PushStateService",
      "UpdatedPassesResponse",
      "UpdatedPassesService",
      "applePushBacklog",
      "readLogs",
      "readPushToken",
      "requirePassToken",
      "sendPackage",
      "sendParts",
    ]
  `);
});

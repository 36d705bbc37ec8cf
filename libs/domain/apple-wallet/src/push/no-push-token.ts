/**
 * The stored push token of a device whose wallet is not Apple's. Such a device has no token of Apple's push service,
 * and never gets a push. No device can register this value.
 */
export const noPushToken = '-';

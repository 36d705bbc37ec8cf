/**
 * The stored push token of a device with another wallet than Apple's. Its own token is not one of Apple's push service,
 * so it is never pushed. No device can register this token.
 */
export const noPushToken = '-';

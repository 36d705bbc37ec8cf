import type { FormerDevice, InstalledDevice, PassDevice, PushState } from '@passwright/apple-wallet';
import type { ComplaintResponse, DeviceDeliveryResponse } from './delivery.dto.js';
import { judged } from './delivery-verdict.js';

/** Explanations why a device no longer receives updates, by the recorded reason. */
const leftBecause: Readonly<Record<string, string>> = {
  unregistered: 'The device said so: its holder removed the pass, or switched its automatic updates off.',
  gone: 'The push service said that the device takes no pushes any more: it was erased or replaced.',
  bad_token: 'The push service did not know the push token of the device, for two changes in a row.',
  silent: 'The device has asked for nothing in 400 days, although it was pushed.',
  device_limit: 'More devices registered for the pass than it may have, and this one was silent longest.',
};

/** Returns the delivery state of a device in the format of the API. */
export function toDeviceDelivery(
  device: PassDevice,
  versionAt: Date,
  push: PushState,
  now: Date,
  complained: ComplaintResponse[],
): DeviceDeliveryResponse {
  return 'leftAt' in device
    ? former(device, complained)
    : installed(device, judged(device, versionAt, push, now), complained);
}

function former({ deviceId, reason, leftAt }: FormerDevice, complained: ComplaintResponse[]): DeviceDeliveryResponse {
  const since = `It takes no updates of the pass since ${leftAt.toISOString()}.`;
  return {
    deviceId,
    verdict: 'updates_off',
    explanation: `${leftBecause[reason] ?? 'The device takes no updates.'} ${since}`,
    registeredAt: null,
    pushed: null,
    listed: null,
    fetched: null,
    complained,
    nextPush: null,
  };
}

function installed(
  device: InstalledDevice,
  { verdict, explanation, nextPush }: ReturnType<typeof judged>,
  complained: ComplaintResponse[],
): DeviceDeliveryResponse {
  const { deviceId, registeredAt, pushedAt, listedAt, fetchedAt } = device;
  return {
    deviceId,
    verdict,
    explanation,
    registeredAt: registeredAt.toISOString(),
    pushed: pushedAt && {
      at: pushedAt.toISOString(),
      id: device.pushId,
      status: device.pushStatus,
      reason: device.pushReason,
      attempts: device.pushAttempts,
    },
    listed: listedAt && { at: listedAt.toISOString() },
    fetched: fetchedAt && {
      at: fetchedAt.toISOString(),
      status: device.fetchedStatus,
      version: device.seenAt.toISOString(),
    },
    complained,
    nextPush: nextPush?.toISOString() ?? null,
  };
}

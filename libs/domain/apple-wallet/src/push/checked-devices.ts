import type { ClaimedDevice, PushClaim } from './push-outcome.js';

/**
 * A group of checked devices in the same state. The values are arrays, because a row for each device would cost more to
 * read.
 */
export interface CheckedDevices {
  readonly ids: readonly string[];
  readonly push_tokens: readonly string[];
  /** The Unix times of the last pushes, in seconds. */
  readonly pushed_at: readonly (number | null)[];
  readonly attempts: number;
  readonly failures: number;
  readonly bad_tokens: number;
  /** True if the devices are outdated. */
  readonly outdated: boolean;
  /** When the devices may get a push; null if they may get one now. */
  readonly later: Date | null;
  /** The greatest `since` of the pages from which the devices come; null for devices that get a push. */
  readonly since: string | null;
}

export type Claim = PushClaim & Pick<ClaimedDevice, 'incarnation'>;

const isToPush = ({ outdated, later }: CheckedDevices): boolean => outdated && later === null;

/** Returns the devices to push, each with its claim. */
export function claimedDevices(looked: readonly CheckedDevices[], claim: Claim): ClaimedDevice[] {
  const devices: ClaimedDevice[] = [];
  for (const group of looked) if (isToPush(group)) addDevices(devices, group, claim);
  return devices;
}

function addDevices(devices: ClaimedDevice[], group: CheckedDevices, { claim, claimedAt, incarnation }: Claim): void {
  const { ids, push_tokens: pushTokens, pushed_at: times, attempts, failures, bad_tokens: badTokens } = group;
  let seconds: number | null = null;
  let pushedAt: Date | null = null;
  for (const [index, id] of ids.entries()) {
    const time = times[index] ?? null;
    // Reuse the `Date`, because many devices have the same push time.
    if (time !== seconds) pushedAt = time === null ? null : new Date(time * 1000);
    seconds = time;
    const pushToken = pushTokens[index] ?? '';
    devices.push({ id, pushToken, claim, claimedAt, incarnation, pushedAt, attempts, failures, badTokens });
  }
}

/** Returns the columns of the devices that get no push, for `passOverSql`. */
export function passedOver(looked: readonly CheckedDevices[]) {
  const rows = looked.filter((group) => !isToPush(group)).flatMap((group) => group.ids.map((id) => ({ ...group, id })));
  return {
    ids: rows.map(({ id }) => id),
    later: rows.map(({ outdated, later }) => (outdated ? later : null)),
    since: rows.map(({ since }) => since),
    attempts: rows.map(({ outdated, attempts }) => (outdated ? attempts : 0)),
    failures: rows.map(({ outdated, failures }) => (outdated ? failures : null)),
  };
}

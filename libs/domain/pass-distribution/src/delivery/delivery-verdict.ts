import type { DeviceProgress, PushState } from '@passwright/apple-wallet';

/** The state of a pass on a device. */
export type Verdict = 'up_to_date' | 'waiting' | 'stale' | 'updates_off';

export interface Judgement {
  readonly verdict: Verdict;
  /** One or two sentences about the current state and the next step. */
  readonly explanation: string;
  readonly nextPush: Date | null;
}

/** A device counts as stale if it does not react to a push within this time. Usually, devices react within seconds. */
const staleAfterMs = 10 * 60_000;

/**
 * Returns the state of a pass on a device, with an explanation. @param versionAt the time of the current version of the
 * pass
 */
export function judged(device: DeviceProgress, versionAt: Date, push: PushState, now: Date): Judgement {
  if (device.reported && device.seenAt >= versionAt) {
    const since = device.fetchedAt ? `fetched it at ${at(device.fetchedAt)}` : 'was added with it';
    return { verdict: 'up_to_date', explanation: `The device has the current version: it ${since}.`, nextPush: null };
  }
  const nextPush = nextPushOf(device, push);
  const isPushed = wasPushed(device);
  const isStale = isPushed && device.pushedAt !== null && now.getTime() - device.pushedAt.getTime() > staleAfterMs;
  const words = [isPushed ? pushedWords(device, isStale) : unpushedWords(device, push), nextWords(nextPush, push)];
  return { verdict: isStale ? 'stale' : 'waiting', explanation: words.join(' '), nextPush };
}

/** Returns true if the push service accepted a push and the device has not fetched a pass since. */
function wasPushed({ pushedAt, pushStatus, lastFetchAt }: DeviceProgress): boolean {
  return pushStatus === 200 && pushedAt !== null && !(lastFetchAt && lastFetchAt >= pushedAt);
}

function nextPushOf({ dueAt }: DeviceProgress, { state, retryAt }: PushState): Date | null {
  if (state === 'off' || dueAt === null) return null;
  return retryAt && retryAt > dueAt ? retryAt : dueAt;
}

function pushedWords({ pushedAt }: DeviceProgress, isStale: boolean): string {
  return isStale
    ? `The device was pushed at ${at(pushedAt)} and has not fetched the change: it is switched off, out of reach, or holds updates back.`
    : `The device was pushed at ${at(pushedAt)}, and fetches the change as a rule within seconds.`;
}

function unpushedWords(
  { reported, pushedAt, pushStatus, pushReason, lastFetchAt }: DeviceProgress,
  push: PushState,
): string {
  const hasFailed = pushStatus !== 200 && pushedAt !== null && !(lastFetchAt && lastFetchAt >= pushedAt);
  // A device may have the current version even if it has not listed it.
  const has = reported ? 'has' : 'may have';
  if (!hasFailed || push.state !== 'on') return `The device ${has} an older version, and was not pushed yet.`;
  const response = [pushStatus, pushReason].filter((part) => part !== null).join(' ');
  return `The device ${has} an older version; its last push failed at ${at(pushedAt)} (${response || 'no response'}).`;
}

function nextWords(nextPush: Date | null, { state, reason, retryAt }: PushState): string {
  if (state === 'off')
    return `Pushes are off: ${clause(reason)}. It gets the change when its holder refreshes the pass.`;
  if (state === 'halted') return `Pushes are halted: ${clause(reason)}. They are tried again at ${at(retryAt)}.`;
  if (nextPush) return `If it has not fetched the change by then, it is pushed at ${at(nextPush)}.`;
  return 'It is pushed again when the pass changes again.';
}

const at = (date: Date | null) => date?.toISOString() ?? 'a time unknown';
const clause = (reason: string | null) => (reason ?? 'no reason is known').replace(/\.$/, '');

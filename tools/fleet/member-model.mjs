// A model of what must happen to members over time. It uses no code or library of the service.

export const reminders = [
  { key: 'month', daysBefore: 30 },
  { key: 'week', daysBefore: 7 },
  { key: 'day', daysBefore: 1 },
];

const dayMs = 86_400_000;
const formats = new Map();

/** Returns how many minutes a time zone is ahead of UTC at an instant. */
function offsetOf(instant, zone) {
  if (!formats.has(zone)) {
    /** @type {Intl.DateTimeFormatOptions} */
    const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' };
    formats.set(zone, new Intl.DateTimeFormat('en-US', { ...numeric, hourCycle: 'h23', timeZone: zone }));
  }
  const parts = Object.fromEntries(
    formats
      .get(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const wall = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute);
  return Math.round((wall - Math.floor(instant / 60_000) * 60_000) / 60_000);
}

/**
 * Returns the instant that is `days` calendar days earlier in a zone, at the same time of day. If clock changes skip
 * this time of day, the returned time is later by the length of the gap.
 */
function daysEarlier(instant, days, zone) {
  const own = offsetOf(instant, zone);
  const wall = instant + own * 60_000 - days * dayMs;
  const [before, after] = [wall - dayMs, wall + dayMs].map((near) => offsetOf(near, zone));
  const matching = [own, before, after].find((offset) => offsetOf(wall - offset * 60_000, zone) === offset);
  return wall - (matching ?? before) * 60_000;
}

/** A member with the state that the service should show. */
export class ModelMember {
  constructor(account, id, email, expiresAt) {
    this.account = account;
    this.id = id;
    this.email = email;
    this.begin(expiresAt);
  }

  /** Begins a new term, with all its reminders. */
  begin(expiresAt) {
    this.status = 'active';
    this.expiresAt = expiresAt;
    this.sent = [];
    this.times = reminders.map(({ key, daysBefore }) => {
      return { key, daysBefore, at: daysEarlier(expiresAt, daysBefore, this.account.zone) };
    });
  }

  /** Advances from one time to another. @returns 'expired', the key of the due reminder, or null */
  pass(from, to) {
    if (this.status === 'expired') return null;
    if (this.expiresAt <= to) {
      this.status = 'expired';
      return 'expired';
    }
    if (this.status !== 'active') return null;
    const due = this.times.filter(({ at, key }) => at > from && at <= to && !this.sent.includes(key));
    // If several reminders are due, only the one closest to the expiry is sent.
    const [closest] = due.sort((one, other) => one.daysBefore - other.daysBefore);
    if (!closest) return null;
    this.sent.push(closest.key);
    return closest.key;
  }
}

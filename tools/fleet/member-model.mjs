// What must happen to members as days go by, thought out anew: not with the service's own code or library.

export const reminders = [
  { key: 'month', daysBefore: 30 },
  { key: 'week', daysBefore: 7 },
  { key: 'day', daysBefore: 1 },
];

const dayMs = 86_400_000;
const formats = new Map();

/** Minutes by which a zone is ahead of UTC at an instant. */
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

/** So many days earlier by the calendar of a zone, at the same time of day; later by the gap where that is missing. */
function daysEarlier(instant, days, zone) {
  const own = offsetOf(instant, zone);
  const wall = instant + own * 60_000 - days * dayMs;
  const [before, after] = [wall - dayMs, wall + dayMs].map((near) => offsetOf(near, zone));
  const matching = [own, before, after].find((offset) => offsetOf(wall - offset * 60_000, zone) === offset);
  return wall - (matching ?? before) * 60_000;
}

/** A member as it ought to be. */
export class ModelMember {
  constructor(account, id, email, expiresAt) {
    this.account = account;
    this.id = id;
    this.email = email;
    this.begin(expiresAt);
  }

  /** A term, reminded of anew. */
  begin(expiresAt) {
    this.status = 'active';
    this.expiresAt = expiresAt;
    this.sent = [];
    this.times = reminders.map(({ key, daysBefore }) => {
      return { key, daysBefore, at: daysEarlier(expiresAt, daysBefore, this.account.zone) };
    });
  }

  /** Time goes from one instant to another. @returns 'expired', the key of the reminder that is due, or null */
  pass(from, to) {
    if (this.status === 'expired') return null;
    if (this.expiresAt <= to) {
      this.status = 'expired';
      return 'expired';
    }
    if (this.status !== 'active') return null;
    const due = this.times.filter(({ at, key }) => at > from && at <= to && !this.sent.includes(key));
    // The closest to the end says what the others would have said.
    const [closest] = due.sort((one, other) => one.daysBefore - other.daysBefore);
    if (!closest) return null;
    this.sent.push(closest.key);
    return closest.key;
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Notices are sent this many days before a certificate expires. */
const noticeDays = [7, 30, 60] as const;

/** The time of a notice: a number of days before the expiry, or the expiry itself. */
export type ExpiryStage = (typeof noticeDays)[number] | 'expired';

/** The state of a certificate: `expiring` from 60 days before its expiry. */
export type CertificateStatus = 'valid' | 'expiring' | 'expired';

/** Returns the latest expiry of a certificate for which a notice is due now. */
export function noticeHorizon(now: Date): Date {
  return new Date(now.getTime() + Math.max(...noticeDays) * DAY_MS);
}

/** Returns the latest notice that is due. Earlier notices that were missed are no longer sent. */
export function expiryStage(expiresAt: Date, now: Date): ExpiryStage | null {
  const leftMs = expiresAt.getTime() - now.getTime();
  // A certificate is still valid at the exact time of its expiry.
  if (leftMs < 0) return 'expired';
  return noticeDays.find((days) => leftMs <= days * DAY_MS) ?? null;
}

/** Returns the whole days until the certificate expires; 0 if it has expired. */
export function daysLeft(expiresAt: Date, now: Date): number {
  return Math.max(0, Math.floor((expiresAt.getTime() - now.getTime()) / DAY_MS));
}

export function certificateStatus(expiresAt: Date, now: Date): CertificateStatus {
  const stage = expiryStage(expiresAt, now);
  if (stage === null) return 'valid';
  return stage === 'expired' ? 'expired' : 'expiring';
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The days before a certificate's expiry on which people are notified. */
const noticeDays = [7, 30, 60] as const;

/** A moment at which people are notified: a number of days before the expiry, or the expiry itself. */
export type ExpiryStage = (typeof noticeDays)[number] | 'expired';

/** The state of a certificate: `expiring` from 60 days before its expiry. */
export type CertificateStatus = 'valid' | 'expiring' | 'expired';

/** Returns the time before which a certificate must expire for a notice to be due. */
export function noticeHorizon(now: Date): Date {
  return new Date(now.getTime() + Math.max(...noticeDays) * DAY_MS);
}

/** Returns the latest notice that has become due. Earlier notices are not sent any more if they were missed. */
export function expiryStage(expiresAt: Date, now: Date): ExpiryStage | null {
  const leftMs = expiresAt.getTime() - now.getTime();
  // A certificate is still valid at the very time of its expiry.
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

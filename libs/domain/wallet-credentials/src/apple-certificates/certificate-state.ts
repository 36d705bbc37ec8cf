const DAY_MS = 24 * 60 * 60 * 1000;

/** So many days before a certificate's end people are told of it. */
const noticeDays = [7, 30, 60] as const;

/** When people are told of a certificate's end: so many days before, and after it. */
export type ExpiryStage = (typeof noticeDays)[number] | 'expired';

/** How a certificate stands: `expiring` 60 days before its end. */
export type CertificateStatus = 'valid' | 'expiring' | 'expired';

/** The certificates that expire before then are those that somebody may have to be told of. */
export function noticeHorizon(now: Date): Date {
  return new Date(now.getTime() + Math.max(...noticeDays) * DAY_MS);
}

/** The nearest moment to tell of that has come: of several that passed since somebody looked only the last one counts. */
export function expiryStage(expiresAt: Date, now: Date): ExpiryStage | null {
  const leftMs = expiresAt.getTime() - now.getTime();
  // A certificate is good to the last second that it names.
  if (leftMs < 0) return 'expired';
  return noticeDays.find((days) => leftMs <= days * DAY_MS) ?? null;
}

/** Whole days until the certificate's end; 0 when it has come. */
export function daysLeft(expiresAt: Date, now: Date): number {
  return Math.max(0, Math.floor((expiresAt.getTime() - now.getTime()) / DAY_MS));
}

export function certificateStatus(expiresAt: Date, now: Date): CertificateStatus {
  const stage = expiryStage(expiresAt, now);
  if (stage === null) return 'valid';
  return stage === 'expired' ? 'expired' : 'expiring';
}

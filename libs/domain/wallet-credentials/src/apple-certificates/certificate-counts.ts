import type { EntityManager } from 'typeorm';

type Reads = Pick<EntityManager, 'query'>;

/** The numbers of accounts' own certificates by time to expiry. Each certificate counts once. */
export interface CertificateCounts {
  readonly expired: number;
  readonly within_7_days: number;
  readonly within_30_days: number;
  readonly within_60_days: number;
  readonly later: number;
}

/** An account's own certificate, and its expiry. */
export interface EndingCertificate {
  readonly account: string;
  readonly passType: string;
  readonly expiresAt: Date;
}

/** Counts the certificates of all accounts by time to expiry, for metrics. */
export async function countCertificates(reads: Reads, now: Date): Promise<CertificateCounts> {
  const [counts] = await reads.query<CertificateCounts[]>(
    `SELECT count(*) FILTER (WHERE days <= 0)::int AS expired,
            count(*) FILTER (WHERE days > 0 AND days <= 7)::int AS within_7_days,
            count(*) FILTER (WHERE days > 7 AND days <= 30)::int AS within_30_days,
            count(*) FILTER (WHERE days > 30 AND days <= 60)::int AS within_60_days,
            count(*) FILTER (WHERE days > 60)::int AS later
       FROM (SELECT extract(epoch FROM expires_at - $1::timestamptz) / 86400 AS days FROM apple_certificate) AS ends`,
    [now],
  );
  if (!counts) throw new Error('The certificates were not counted');
  return counts;
}

/**
 * Lists up to 20 certificates of accounts that expire by `horizon`, earliest first. Also counts the certificates of all
 * accounts.
 */
export async function endingCertificates(
  reads: Reads,
  horizon: Date,
): Promise<{ readonly ending: EndingCertificate[]; readonly all: number }> {
  const ending = await reads.query<EndingCertificate[]>(
    `SELECT account_id AS account, pass_type_identifier AS "passType", expires_at AS "expiresAt"
       FROM apple_certificate WHERE expires_at <= $1 ORDER BY expires_at, account_id LIMIT 20`,
    [horizon],
  );
  const [all] = await reads.query<{ certificates: number }[]>(
    'SELECT count(*)::int AS certificates FROM apple_certificate',
  );
  return { ending, all: all?.certificates ?? 0 };
}

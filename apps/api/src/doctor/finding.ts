import type { AppConfig } from '../config/config.js';
import type { DoctorDatabase } from './doctor-database.js';

/** The verdict of a check. A warning means that something still works. A problem means a failure or a danger. */
export type Verdict = 'ok' | 'warning' | 'problem';

/** The result of a check. */
export interface Finding {
  readonly verdict: Verdict;
  /** The result, as a sentence. */
  readonly found: string;
  /** The remedy, as a sentence; null if there is nothing to do. */
  readonly fix: string | null;
}

/** The installation to check. */
export interface Installation {
  readonly config: AppConfig;
  readonly database: DoctorDatabase;
  /** A certificate authority as PEM text, which tests make the doctor trust. */
  readonly ca: string | null;
  readonly now: Date;
  /** The time limit of a check in milliseconds. A slower check reports that the server does not respond. */
  readonly limitMs: number;
}

/** A check of one subject. If it throws, the doctor reports the error as a problem. */
export type Check = (installation: Installation) => Promise<Finding[]> | Finding[];

export const ok = (found: string): Finding => ({ verdict: 'ok', found, fix: null });
export const warning = (found: string, fix: string): Finding => ({ verdict: 'warning', found, fix });
export const problem = (found: string, fix: string): Finding => ({ verdict: 'problem', found, fix });

/** Returns a problem in production, and a warning elsewhere. */
export function inProduction({ config }: Installation, found: string, fix: string): Finding {
  return config.production ? problem(found, fix) : warning(found, fix);
}

/** Describes an error in one line of at most 300 characters. */
export function reasonOf(error: unknown): string {
  const { message, code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  const text = message || code || String(error);
  return text.replace(/\s+/g, ' ').slice(0, 300);
}

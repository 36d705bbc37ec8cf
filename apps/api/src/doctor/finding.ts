import type { AppConfig } from '../config/config.js';
import type { DoctorDatabase } from './doctor-database.js';

/** How something stands: a warning works today, a problem does not, or is dangerous. */
export type Verdict = 'ok' | 'warning' | 'problem';

/** What a check has found. */
export interface Finding {
  readonly verdict: Verdict;
  /** A sentence. */
  readonly found: string;
  /** What to do, a sentence; null when nothing is to be done. */
  readonly fix: string | null;
}

/** What is looked at. */
export interface Installation {
  readonly config: AppConfig;
  readonly database: DoctorDatabase;
  /** PEM text of an authority that is trusted besides the well-known ones; for tests. */
  readonly ca: string | null;
  readonly now: Date;
  /** What a check may take, in milliseconds: whatever does not answer is said not to. */
  readonly limitMs: number;
}

/** Looks at one thing. What it throws is told as a problem. */
export type Check = (installation: Installation) => Promise<Finding[]> | Finding[];

export const ok = (found: string): Finding => ({ verdict: 'ok', found, fix: null });
export const warning = (found: string, fix: string): Finding => ({ verdict: 'warning', found, fix });
export const problem = (found: string, fix: string): Finding => ({ verdict: 'problem', found, fix });

/** What is wrong in production alone: elsewhere it is only worth knowing. */
export function inProduction({ config }: Installation, found: string, fix: string): Finding {
  return config.production ? problem(found, fix) : warning(found, fix);
}

/** An error in a few words, of at most 300 characters in one line. */
export function reasonOf(error: unknown): string {
  const { message, code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  const text = message || code || String(error);
  return text.replace(/\s+/g, ' ').slice(0, 300);
}

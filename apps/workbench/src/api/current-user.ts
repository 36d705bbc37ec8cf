import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { RequestLog } from './request-log.js';
import type { Session } from './session.js';

/** The user and account of the page. */
export interface Who {
  readonly session: Session;
  readonly log: RequestLog;
  /** Null for an API key. */
  readonly user: { readonly uid: string; readonly name: string; readonly email: string } | null;
  readonly accountId: string | null;
  /** True in a test account. */
  readonly isTest: boolean;
  /** True for admins. Also true for API keys, because their scopes are not known. */
  readonly mayManage: boolean;
  /** Reads the user and the accounts again after a change. */
  readonly reload: () => void;
}

export const WhoContext = createContext<Who | null>(null);

/** Returns the user that the page works for. */
export function useWho(): Who {
  const who = useContext(WhoContext);
  if (!who) throw new Error('No user is signed in.');
  return who;
}

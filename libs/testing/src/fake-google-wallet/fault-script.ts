import type { GoogleRequest } from './request-log.js';

/** A fault told in advance. */
export interface ScriptedGoogleFault {
  /** `null`: the request is read and never answered. */
  readonly status: number | null;
  /** In the API's envelope; for token requests the OAuth error (`invalid_grant`). */
  readonly reason?: string;
  readonly message?: string;
  /** Seconds, for the header `Retry-After`. */
  readonly retryAfter?: number;
  /** Once when left out; `Infinity` until `reset()`. */
  readonly times?: number;
  /** Which requests; those to the API when left out. */
  readonly matches?: (request: GoogleRequest) => boolean;
}

/** What the stand-in was told to do wrong, used up in the order in which it was told. */
export class FaultScript {
  private faults: { readonly fault: ScriptedGoogleFault; left: number }[] = [];

  add(fault: ScriptedGoogleFault): void {
    this.faults.push({ fault, left: fault.times ?? 1 });
  }

  /** Uses up one. @returns undefined when nothing was told for such a request */
  next(request: GoogleRequest): ScriptedGoogleFault | undefined {
    const isApi = ({ service }: GoogleRequest) => service === 'api';
    const line = this.faults.find(({ fault, left }) => left > 0 && (fault.matches ?? isApi)(request));
    if (!line) return undefined;
    line.left--;
    return line.fault;
  }

  clear(): void {
    this.faults = [];
  }
}

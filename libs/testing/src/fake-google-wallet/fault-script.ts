import type { GoogleRequest } from './request-log.js';

/** A scripted fault. */
export interface ScriptedGoogleFault {
  /** The status of the response; `null` reads the request and never responds. */
  readonly status: number | null;
  /** The reason in the API's error format, or the OAuth error of token requests (`invalid_grant`). */
  readonly reason?: string;
  readonly message?: string;
  /** Seconds, for the header `Retry-After`. */
  readonly retryAfter?: number;
  /** The number of requests that it applies to. Default: 1. `Infinity` applies until `reset()`. */
  readonly times?: number;
  /** Selects the requests. Default: all API requests. */
  readonly matches?: (request: GoogleRequest) => boolean;
}

/** The scripted faults, used up in order. */
export class FaultScript {
  private faults: { readonly fault: ScriptedGoogleFault; left: number }[] = [];

  add(fault: ScriptedGoogleFault): void {
    this.faults.push({ fault, left: fault.times ?? 1 });
  }

  /** Uses up one fault. @returns undefined if no fault is scripted for the request */
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

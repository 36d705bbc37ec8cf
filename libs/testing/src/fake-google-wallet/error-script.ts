import type { GoogleRequest } from './request-log.js';

/** A scripted error. */
export interface ScriptedGoogleError {
  /** The status of the response. With `null`, the fake reads the request and never responds. */
  readonly status: number | null;
  /** The reason in the API's error format, or the OAuth error of token requests (`invalid_grant`). */
  readonly reason?: string;
  readonly message?: string;
  /** Seconds, for the header `Retry-After`. */
  readonly retryAfter?: number;
  /** The number of requests that the error applies to. Default: 1. `Infinity` applies until `reset()`. */
  readonly times?: number;
  /** Selects the requests. Default: all API requests. */
  readonly matches?: (request: GoogleRequest) => boolean;
}

/** The scripted errors, used up in order. */
export class ErrorScript {
  private problems: { readonly problem: ScriptedGoogleError; left: number }[] = [];

  add(problem: ScriptedGoogleError): void {
    this.problems.push({ problem, left: problem.times ?? 1 });
  }

  /** Uses up one error. @returns undefined if no error is scripted for the request */
  next(request: GoogleRequest): ScriptedGoogleError | undefined {
    const isApi = ({ service }: GoogleRequest) => service === 'api';
    const line = this.problems.find(({ problem, left }) => left > 0 && (problem.matches ?? isApi)(request));
    if (!line) return undefined;
    line.left--;
    return line.problem;
  }

  clear(): void {
    this.problems = [];
  }
}

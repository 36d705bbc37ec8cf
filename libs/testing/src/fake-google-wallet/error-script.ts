import type { GoogleRequest } from './request-log.js';

/** A scripted error. */
export interface ScriptedGoogleError {
  /** The status of the response. `null` means that the fake never responds. */
  readonly status: number | null;
  /** The reason in the API's error body, or the OAuth error for a token request (`invalid_grant`). */
  readonly reason?: string;
  readonly message?: string;
  /** The seconds in the header `Retry-After`. */
  readonly retryAfter?: number;
  /** The number of requests that get the error. Default: 1. `Infinity` applies until `reset()`. */
  readonly times?: number;
  /** Selects the requests that get the error. Default: all API requests. */
  readonly matches?: (request: GoogleRequest) => boolean;
}

/** The scripted errors, in order. */
export class ErrorScript {
  private problems: { readonly problem: ScriptedGoogleError; left: number }[] = [];

  add(problem: ScriptedGoogleError): void {
    this.problems.push({ problem, left: problem.times ?? 1 });
  }

  /**
   * Takes the next error for a request.
   * @returns undefined if none is scripted
   */
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

import { AppError } from '../errors/app-error.js';
import type { AuthenticatedRequest } from './principal.js';

const LOOK_MS = 2_000;

/** Checks the credential of a long request again every two seconds, so that a revoked credential soon stops working. */
export class AccessWatch {
  /** The reason why the caller was denied, or null while access is allowed. */
  denied: AppError | null = null;
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;
  private wake: (denied: AppError) => void = () => undefined;

  constructor(private readonly request: AuthenticatedRequest) {
    this.schedule();
  }

  /**
   * Waits for the work, or rejects as soon as access is denied. @throws the error of the work, Unauthorized or
   * Forbidden
   */
  until<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.wake = reject;
      work.then(resolve, reject);
      if (this.denied) reject(this.denied);
    });
  }

  stop(): void {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
  }

  private schedule(): void {
    if (this.stopped || !this.request.recheckAccess) return;
    this.timer = setTimeout(() => void this.look(), LOOK_MS);
    this.timer.unref();
  }

  private async look(): Promise<void> {
    try {
      await this.request.recheckAccess?.();
    } catch (error) {
      // Ignore an error of the database, because it does not show whether the credential is still valid.
      if (error instanceof AppError && [401, 403].includes(error.statusCode)) {
        this.denied = error;
        this.wake(error);
        return;
      }
    }
    this.schedule();
  }
}

/**
 * Waits for work of a request, such as reading its body. During longer work, checks the credential every two seconds,
 * and rejects once the caller has lost access. @throws the error of the work, Unauthorized or Forbidden
 */
export async function whileAllowed<T>(request: AuthenticatedRequest, work: Promise<T>): Promise<T> {
  const access = new AccessWatch(request);
  try {
    return await access.until(work);
  } finally {
    access.stop();
  }
}

import { AppError } from '../errors/app-error.js';
import type { AuthenticatedRequest } from './principal.js';

const LOOK_MS = 2_000;

/** Looks the credential of a long request up again every two seconds, so that a revoked one does not go on for long. */
export class AccessWatch {
  /** Why the caller may not go on; null: they may. */
  denied: AppError | null = null;
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;
  private wake: (denied: AppError) => void = () => undefined;

  constructor(private readonly request: AuthenticatedRequest) {
    this.schedule();
  }

  /** Waits for work, at most until access is denied. @throws what the work throws, and Unauthorized or Forbidden */
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
      // A database that does not answer says nothing about the credential.
      if (error instanceof AppError && [401, 403].includes(error.statusCode)) {
        this.denied = error;
        this.wake(error);
        return;
      }
    }
    this.schedule();
  }
}

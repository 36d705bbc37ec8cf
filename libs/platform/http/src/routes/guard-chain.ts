import type { CanActivate, ExecutionContext } from '@nestjs/common';

/** A guard whose result is not an observable. */
export interface ChainedGuard {
  canActivate(context: ExecutionContext): boolean | Promise<boolean>;
}

/** Runs guards one after the other, without waiting for a guard that decides immediately. */
export class GuardChain implements CanActivate {
  constructor(private readonly guards: readonly ChainedGuard[]) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return this.admit(context, this.guards.values());
  }

  /** Asks the remaining guards in turn. */
  private admit(context: ExecutionContext, guards: Iterator<ChainedGuard>): boolean | Promise<boolean> {
    for (let next = guards.next(); !next.done; next = guards.next()) {
      const admitted = next.value.canActivate(context);
      if (admitted === false) return false;
      if (admitted !== true) return admitted.then((isAdmitted) => isAdmitted && this.admit(context, guards));
    }
    return true;
  }
}

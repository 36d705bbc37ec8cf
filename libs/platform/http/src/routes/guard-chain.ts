import type { CanActivate, ExecutionContext } from '@nestjs/common';

/** A guard that responds without an observable. */
export interface ChainedGuard {
  canActivate(context: ExecutionContext): boolean | Promise<boolean>;
}

/** Runs guards one after the other, without waiting where a guard needs no time. */
export class GuardChain implements CanActivate {
  constructor(private readonly guards: readonly ChainedGuard[]) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    let next = 0;
    for (const guard of this.guards) {
      next++;
      const admitted = guard.canActivate(context);
      if (admitted === false) return false;
      if (admitted !== true) return this.goOn(admitted, context, next);
    }
    return true;
  }

  private async goOn(admitted: Promise<boolean>, context: ExecutionContext, next: number): Promise<boolean> {
    if (!(await admitted)) return false;
    for (const guard of this.guards.slice(next)) if (!(await guard.canActivate(context))) return false;
    return true;
  }
}

/** The exit codes of all commands, for scripts. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, differences: 3, conflict: 4, interrupted: 130 } as const;

/** Returns the exit code for an error that ended a command. An error of the service is a failure. */
export function exitCodeOf(error: unknown): number {
  return error instanceof Failure ? error.exitCode : exitCodes.failed;
}

/** A failure described in one sentence; `hint` says what to do. */
export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly exitCode: number = exitCodes.failed;

  /** @param code for programs that read `--json`, in lower snake case */
  constructor(
    message: string,
    readonly hint?: string,
    readonly code: string = 'failed',
    /** Additional properties of the error object that `--json` prints. */
    readonly details?: object,
  ) {
    super(message);
  }
}

/** The command was used incorrectly and did nothing. Exit code 2. */
export class WrongUsage extends Failure {
  override readonly name = 'WrongUsage';
  override readonly exitCode = exitCodes.usage;

  constructor(message: string, hint?: string) {
    super(message, hint, 'wrong_usage');
  }
}

/** The service has changes that the command would undo, so the command did nothing. Exit code 4. */
export class Conflict extends Failure {
  override readonly name = 'Conflict';
  override readonly exitCode = exitCodes.conflict;

  constructor(message: string, hint: string, details: object) {
    super(message, hint, 'templates_changed', details);
  }
}

/** Ctrl-C stopped a command before it was done. Exit code 130. */
export class Interrupted extends Failure {
  override readonly name = 'Interrupted';
  override readonly exitCode = exitCodes.interrupted;

  constructor(message = 'Stopped.') {
    super(message, undefined, 'interrupted');
  }
}

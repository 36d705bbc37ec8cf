/** How a command ends, for scripts; the same numbers for every command. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, differences: 3, interrupted: 130 } as const;

/** A failure that is said in one sentence, without a stack; `hint` says what to do about it. */
export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly exitCode: number = exitCodes.failed;

  /** @param code for programs that read `--json`; lower snake case, as the API's codes */
  constructor(
    message: string,
    readonly hint?: string,
    readonly code: string = 'failed',
    /** What else `--json` shows beside the error. */
    readonly details?: object,
  ) {
    super(message);
  }
}

/** The command was called in a way that cannot work; nothing was done. Exit code 2. */
export class WrongUsage extends Failure {
  override readonly name = 'WrongUsage';
  override readonly exitCode = exitCodes.usage;

  constructor(message: string, hint?: string) {
    super(message, hint, 'wrong_usage');
  }
}

/** Ctrl-C, where it is not the usual end of the command. Exit code 130. */
export class Interrupted extends Failure {
  override readonly name = 'Interrupted';
  override readonly exitCode = exitCodes.interrupted;

  constructor(message = 'Stopped.') {
    super(message, undefined, 'interrupted');
  }
}

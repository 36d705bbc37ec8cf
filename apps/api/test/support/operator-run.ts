import { runOperator } from '../../src/operator/operator-program.js';

/** The result of a run of the operator's command line. */
export interface OperatorRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the operator's command line in this process, and collects its output. */
export async function operatorRun(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OperatorRun> {
  const reported = { out: '', err: '' };
  const code = await runOperator(
    words,
    environment,
    (part) => (reported.out += part),
    (part) => (reported.err += part),
  );
  return { code, ...reported };
}

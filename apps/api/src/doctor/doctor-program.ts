import { within } from '@passwright/core';
import { Command, CommanderError } from 'commander';
import { loadConfig } from '../config/config.js';
import { ConfigInvalid } from '../config/config-validation.js';
import { describeUnknown, unknownVariables } from '../config/variables/unknown-variables.js';
import type { Terminal } from '../terminal.js';
import { terminalText } from '../terminal-text.js';
import { accountCredentialsCheck } from './account-credentials-check.js';
import { appleCertificateCheck } from './apple-certificate-check.js';
import { baseUrlCheck } from './base-url-check.js';
import { databaseCheck } from './database-check.js';
import { jobsCheck } from './jobs-check.js';
import { replicaCheck } from './replica-check.js';
import { withDatabase } from './doctor-database.js';
import { type CheckedFinding, doctorReport } from './doctor-report.js';
import { type Check, type Installation, problem, reasonOf, warning } from './finding.js';
import { googleCheck } from './google-check.js';
import { mailCheck } from './mail-check.js';
import { poolerCheck } from './pooler-check.js';
import { proxyCheck } from './proxy-check.js';
import { pushCheck } from './push-check.js';
import { secretsCheck } from './secrets-check.js';
import { serversCheck } from './servers-check.js';
import { storageCheck } from './storage-check.js';
import { tracesCheck } from './traces-check.js';

/** The checks by their subject, in the order of the output. */
const checks: Readonly<Record<string, Check>> = {
  database: databaseCheck,
  servers: serversCheck,
  replica: replicaCheck,
  pooler: poolerCheck,
  jobs: jobsCheck,
  'Apple certificate': appleCertificateCheck,
  "accounts' certificates": accountCredentialsCheck,
  'Apple push': pushCheck,
  'Google Wallet': googleCheck,
  mail: mailCheck,
  'base URL': baseUrlCheck,
  proxy: proxyCheck,
  storage: storageCheck,
  traces: tracesCheck,
  secrets: secretsCheck,
};

const LIMIT_MS = 5000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Runs all checks simultaneously. Changes nothing in the installation. @param ca see `Installation` */
export async function examine(
  environment: Environment,
  { ca = null, limitMs = LIMIT_MS }: { readonly ca?: string | null; readonly limitMs?: number } = {},
): Promise<CheckedFinding[]> {
  const unknown = unknownVariables(environment).map((variable) => ({
    check: 'configuration',
    ...warning(describeUnknown(variable), 'Rename or remove it; .env.example lists all variables.'),
  }));
  let config;
  try {
    config = loadConfig(environment, { readOnly: true });
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error;
    // Without a configuration no other check can run.
    const problems = error.problems.map((text) => ({
      check: 'configuration',
      ...problem(`${text}.`, 'Set it in .env or in the environment; .env.example lists all of them.'),
    }));
    return [...problems, ...unknown];
  }
  return withDatabase(config, limitMs, async (database) => {
    const installation = { config, database, ca, limitMs, now: new Date() };
    const names = Object.entries(checks);
    const findings = await Promise.all(names.map(([name, check]) => run(name, check, installation)));
    return [...unknown, ...findings.flat()];
  });
}

async function run(name: string, check: Check, installation: Installation): Promise<CheckedFinding[]> {
  const looking = Promise.resolve().then(() => check(installation));
  const findings = await within(installation.limitMs, looking).catch((error: unknown) => [
    problem(`The check failed: ${reasonOf(error)}.`, 'Make sure that all it needs is reachable from here.'),
  ]);
  return findings.map((finding) => ({ check: name, ...finding }));
}

/**
 * Runs the doctor's command line, which reports problems of the installation and how to fix them.
 * @param words the words after the command's name.
 * @param terminal where the report is printed; null for a file or a pipe
 * @returns the exit code. 0: no problem. 1: problems. 2: wrong usage
 */
export async function runDoctor(
  words: readonly string[],
  environment: Environment,
  print: (text: string) => void,
  complain: (text: string) => void,
  terminal: Terminal | null = null,
): Promise<number> {
  const program = new Command('doctor')
    .description(
      'Finds what is wrong with the installation, and how to fix it. Reads the configuration of the service.',
    )
    .option('--json', 'print JSON, for programs')
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: complain });
  try {
    program.parse([...words], { from: 'user' });
  } catch (error) {
    return error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
  }
  const findings = await examine(environment);
  const { json = false } = program.opts<{ json?: boolean }>();
  // Escape control characters, which texts of other servers may contain.
  print(json ? terminalText(`${JSON.stringify(findings, null, 2)}\n`) : doctorReport(findings, terminal));
  return findings.some(({ verdict }) => verdict === 'problem') ? 1 : 0;
}

import { readFileSync } from 'node:fs';
import { certificateProblems, missingForApple } from './apple-config.js';
import { dataFolderProblem } from './data-folder.js';
import { missingForDatabase } from './database-config.js';
import { missingForGoogle, serviceAccountProblems } from './google-config.js';
import { missingForMail } from './mail-config.js';
import { missingForOidc } from './oidc-config.js';
import { missingForStorage } from './storage-config.js';
import { withoutUnusedTracing } from './tracing-config.js';
import { fileVariables, variables, type Values, type VariableName } from './variables/variables.js';
import { walletBadges } from './wallet-badges.js';

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration is invalid. The error lists every problem with a valid example, and stops the start. */
export class ConfigInvalid extends Error {
  constructor(readonly problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((problem) => `  - ${problem}\n`).join('')}`,
    );
  }
}

/**
 * Reads and checks the environment variables. @param readOnly if true, does not create `DATA_DIR`. @throws ConfigInvalid
 * that lists every problem
 */
export function validValues(environment: Environment, readOnly: boolean): Values {
  const problems: string[] = [];
  const complete = withoutUnusedTracing(withFiles(environment, problems));
  const values = parse(complete, problems);
  problems.push(...missing(complete));
  if (values) {
    problems.push(...certificateProblems(values), ...serviceAccountProblems(values));
    problems.push(...dataDirProblems(values, readOnly));
    if (values.WALLET_BADGES !== undefined) problems.push(...walletBadges(values.WALLET_BADGES).problems);
  }
  if (!values || problems.length > 0) throw new ConfigInvalid(problems);
  return values;
}

/** Resolves `NAME_FILE`, the path of a file with the value of `NAME`, which is how containers pass secrets. */
function withFiles(environment: Environment, problems: string[]): Environment {
  // Ignore empty values, because compose files and shells pass an unset variable as an empty text.
  const result = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  for (const name of fileVariables) {
    const path = result[`${name}_FILE`];
    if (path === undefined) continue;
    if (result[name] !== undefined) problems.push(`${name} and ${name}_FILE are both set; keep one of them`);
    try {
      result[name] = readFileSync(path, 'utf8').trimEnd();
    } catch (error) {
      problems.push(`${name}_FILE: ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
    }
  }
  return result;
}

function parse(environment: Environment, problems: string[]): Values | null {
  const before = problems.length;
  const values: Partial<Record<VariableName, unknown>> = {};
  for (const name of Object.keys(variables) as VariableName[]) {
    const { schema, example } = variables[name];
    const parsed = schema.safeParse(environment[name]);
    if (parsed.success) values[name] = parsed.data;
    else problems.push(`${name} ${parsed.error.issues[0]?.message ?? 'is wrong'}; for example ${name}=${example}`);
  }
  return problems.length === before ? (values as Values) : null;
}

/** Lists unset variables that other variables require, even if some values are invalid. */
function missing(environment: Environment): string[] {
  const problems: string[] = [];
  const secrets = {
    ACCESS_TOKEN_SECRET: 'openssl rand -base64 32',
    PASS_TOKEN_SECRET: 'openssl rand -base64 32',
    MASTER_KEYS: 'echo "1:$(openssl rand -base64 32)"',
  };
  for (const [name, command] of Object.entries(secrets)) {
    if (environment.NODE_ENV === 'production' && !environment[name]) {
      problems.push(`${name} is missing; make one with: ${command}, then keep it`);
    }
  }
  return [
    ...problems,
    ...missingForMail(environment),
    ...missingForApple(environment),
    ...missingForDatabase(environment),
    ...missingForGoogle(environment),
    ...missingForOidc(environment),
    ...missingForStorage(environment),
  ];
}

function dataDirProblems({ DATA_DIR }: Values, readOnly: boolean): string[] {
  const problem = dataFolderProblem(DATA_DIR, readOnly);
  return problem === null
    ? []
    : [`DATA_DIR ${DATA_DIR} ${problem}; for example DATA_DIR=${variables.DATA_DIR.example}`];
}

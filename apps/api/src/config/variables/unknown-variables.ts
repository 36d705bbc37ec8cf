import leven from 'leven';
import { fileVariables, variables } from './variables.js';

/** A variable that the service does not read, but whose name resembles that of a known variable. */
export interface UnknownVariable {
  readonly name: string;
  /** The variable of the service whose name is closest to `name`. */
  readonly meant: string;
}

const known: readonly string[] = [...Object.keys(variables), ...fileVariables.map((name) => `${name}_FILE`)];
/**
 * First words that occur only in our own variable names. Names that begin with one of them resemble ours, and so do
 * names that begin with the same two words as ours.
 */
const ownWords = new Set(['OIDC', 'S3', 'SMTP']);
/** The variables that Kubernetes sets for each service of a namespace, in addition to `…_PORT`. */
const ofKubernetes = /_(SERVICE_HOST|SERVICE_PORT|PORT_\d+_[A-Z]+)(_|$)/;
/** The value of `…_PORT` for a service in Kubernetes. */
const portOfKubernetes = /^(tcp|udp|sctp):\/\//;
/** Variables that hosting services for Postgres set in addition to `DATABASE_URL`. */
const ofHosts: readonly string[] = ['DATABASE_URL_UNPOOLED', 'DATABASE_URL_NON_POOLING'];
/** The minimum length of a name that is compared. Shorter names resemble too many others. */
const SHORTEST = 6;

/**
 * Lists unknown variables whose names differ from a known variable by a few letters, or begin with the same words.
 * Ignores the variables of other programs.
 */
export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): UnknownVariable[] {
  const unknown = Object.keys(environment).filter((name) => environment[name] && !known.includes(name));
  return unknown.flatMap((name) => {
    if (isForeign(name, environment[name] ?? '')) return [];
    const meant = closestTo(name.toUpperCase());
    return meant === undefined ? [] : [{ name, meant }];
  });
}

/** Describes an unknown variable in one sentence. */
export function describeUnknown({ name, meant }: UnknownVariable): string {
  return `${name} is not a variable of Passwright and has no effect; did you mean ${meant}?`;
}

function isForeign(name: string, value: string): boolean {
  const isPort = name.endsWith('_PORT') && portOfKubernetes.test(value);
  return isPort || ofKubernetes.test(name) || ofHosts.includes(name);
}

function closestTo(name: string): string | undefined {
  return known
    .filter((own) => !own.endsWith('_FILE') || name.endsWith('_FILE'))
    .filter((own) => isMisspelt(name, own) || looksOwn(name, own))
    .sort((a, b) => sharedWords(name, b) - sharedWords(name, a) || leven(name, a) - leven(name, b))[0];
}

function isMisspelt(name: string, own: string): boolean {
  return Math.min(name.length, own.length) >= SHORTEST && leven(name, own) <= (own.length > 8 ? 2 : 1);
}

function looksOwn(name: string, own: string): boolean {
  // Skip OpenTelemetry, whose SDK reads many variables that this service does not list.
  if (own.startsWith('OTEL_')) return false;
  const [first = '', ...others] = name.split('_');
  const fewest = ownWords.has(first) && others.length > 0 ? 1 : 2;
  return sharedWords(name, own) >= fewest;
}

/** Counts the words with which both names begin. */
function sharedWords(name: string, own: string): number {
  const [words, ownNameWords] = [name.split('_'), own.split('_')];
  const differs = words.findIndex((word, at) => word !== ownNameWords[at]);
  return differs < 0 ? words.length : differs;
}

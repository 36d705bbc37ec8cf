import { ValidationFailed, type GoogleServiceAccount } from '@passwright/core';
import { readRsaKey } from './rsa-key.js';

const FIELD = 'serviceAccount';
/** Matches names of service accounts: `name@project.iam.gserviceaccount.com`. */
const emailForm = /^[\w.+-]{1,100}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}$/;
const MAX_KEY_ID_LENGTH = 128;

type KeyFile = Readonly<Record<string, unknown>>;

/**
 * Reads the credential from a Google key file, and converts its key to unencrypted PKCS#8. Ignores the rest of the
 * file, and never calls a URL from it.
 * @param sent the file as an object, or as its text
 * @throws ValidationFailed with all problems, which name properties but never contain values of the file
 */
export function readKeyFile(issuerId: string, sent: object | string): GoogleServiceAccount {
  const file = typeof sent === 'string' ? parsed(sent) : (sent as KeyFile);
  const kindProblem = wrongKind(file);
  if (kindProblem) throw new ValidationFailed(`${FIELD} ${kindProblem}`);
  const problems: string[] = issuerProblems(issuerId, file);
  const clientEmail = textOf(file, 'client_email');
  if (clientEmail === '') problems.push(`${FIELD}.client_email is missing: ${wholeFile}`);
  else if (!emailForm.test(clientEmail)) {
    problems.push(`${FIELD}.client_email must be the e-mail address of the service account`);
  }
  const key = readRsaKey(textOf(file, 'private_key'));
  if ('problem' in key) problems.push(`${FIELD}.private_key ${key.problem}`);
  if (problems.length > 0 || 'problem' in key) throw new ValidationFailed(problems);
  const keyId = textOf(file, 'private_key_id');
  return {
    issuerId,
    clientEmail,
    privateKeyPem: key.privateKeyPem,
    // The key id is only informative, so it may be missing.
    ...(keyIdForm.test(keyId) && { privateKeyId: keyId }),
  };
}

const keyIdForm = new RegExp(`^[\\w.-]{1,${MAX_KEY_ID_LENGTH}}$`);
const wholeFile = 'send the whole file that Google Cloud hands out when a key of type JSON is created';

function parsed(text: string): KeyFile {
  if (text.includes('-----BEGIN ') && !text.includes('{')) {
    throw new ValidationFailed(`${FIELD} is a private key alone: ${wholeFile}`);
  }
  const value = jsonIn(text.trim());
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as KeyFile;
  throw new ValidationFailed(`${FIELD} is a text, but no JSON object: ${wholeFile}`);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Drop the parser's message, because it quotes parts of the file.
    return null;
  }
}

/** Returns the problem if the file is another kind of JSON file from Google; null for a service account. */
function wrongKind(file: KeyFile): string | null {
  const { type } = file;
  if (type === 'service_account') return null;
  const remedy = `create a service account, and a key of type JSON for it`;
  if ('installed' in file || 'web' in file || 'client_secret' in file) {
    return `is an OAuth client, not a service account: ${remedy}`;
  }
  if (type === 'authorized_user') return `is the login of a person, not a service account: ${remedy}`;
  if (type === 'external_account' || type === 'impersonated_service_account') {
    return `stands for an identity elsewhere and has no key, which signing save links takes: ${remedy}`;
  }
  return `must have the type "service_account": ${wholeFile}`;
}

function issuerProblems(issuerId: string, file: KeyFile): string[] {
  if (String(file.client_id) === issuerId) {
    return ['issuerId is the client_id of the service account: the Google Pay & Wallet Console shows the issuer id'];
  }
  // The e-mail address of a default service account begins with the project number.
  if (textOf(file, 'client_email').startsWith(`${issuerId}-`)) {
    return ['issuerId is the number of the Cloud project: the Google Pay & Wallet Console shows the issuer id'];
  }
  return [];
}

/** Returns a property as text; empty if it is absent or has another type. */
function textOf(file: KeyFile, property: string): string {
  const value = Object.hasOwn(file, property) ? file[property] : '';
  return typeof value === 'string' ? value.trim() : '';
}

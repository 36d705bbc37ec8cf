import { schemaNameProblem, serverUrls } from '@passwright/database';
import { readServiceAccountKey } from '@passwright/google-wallet-api';
import { z } from 'zod';

/** A generated secret. */
export const secretLength = z
  .string()
  .min(32, 'must have at least 32 characters; make one with: openssl rand -base64 32')
  .optional();

/** The name of the database schema that contains the tables. */
export const schemaName = z
  .string()
  .superRefine((name, context) => {
    const message = schemaNameProblem(name);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .optional();

/** A whole number within inclusive limits. */
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);

/** Text in PEM form. A line break may be written as a backslash and an n. */
export const pem = (what: string) =>
  z
    .string()
    .transform((text) => text.replaceAll('\\n', '\n'))
    .refine((text) => text.includes(`-----BEGIN `), `must be ${what} in PEM form, beginning with -----BEGIN`)
    .optional();

/** An address without a trailing slash. */
export const httpUrl = z
  .string()
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an http or https address')
  .refine((text) => !/[?#]/.test(text), 'must have no query and no fragment')
  .transform((text) => text.replace(/(?<!\/)\/+$/, ''))
  .optional();

/** The https address of a server. */
export const httpsUrl = z
  .string()
  .refine((text) => URL.canParse(text) && new URL(text).protocol === 'https:', 'must be an https address')
  .refine((text) => /^https:\/\/[^/?#]+\/?$/i.test(text), 'must have no path, no query and no fragment')
  .optional();

/** A comma-separated list, trimmed; unset means empty. */
export const commaSeparated = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

/** Comma-separated addresses. They stay unchanged, because they are compared character by character. */
export const httpsUrls = commaSeparated.refine(
  (all) => all.every((url) => URL.canParse(url) && /^https:\/\/[^?#]+$/.test(url)),
  'must be https addresses without query and fragment, with commas between them',
);

/** Comma-separated origins of web pages, as browsers write them. */
export const origins = commaSeparated.refine(
  (all) => all.every((origin) => /^https?:/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin),
  'must be origins such as https://shop.example.com, without a path, with commas between them',
);

const anyPostgresUrl = z
  .string()
  .refine(
    (text) => serverUrls(text).every((url) => URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)),
    'must be a postgres:// address',
  )
  .refine(
    (text) => !/[?&]host=[^&?,]*(,|%2C)/i.test(text),
    'must name several servers before the path, as host:port,host:port',
  );

/** The address of a Postgres database, on one server or on a primary and its standbys. */
export const postgresUrl = anyPostgresUrl
  .refine(
    (text) => !/[?&]target_session_attrs=(?!(read-write|primary)(&|$))/.test(text),
    'must not set target_session_attrs, except to read-write or primary, because the service writes',
  )
  .optional();

/** The address of a standby. */
export const standbyUrl = anyPostgresUrl
  .refine(
    (text) => serverUrls(text).length === 1,
    'must name one server; put a TCP proxy in front of several standbys, and name the proxy',
  )
  .optional();

export const hosts = commaSeparated.refine(
  (all) => all.every((host) => /^([\w.-]+|\[[0-9a-fA-F:]+\])(:\d{1,5})?$/.test(host)),
  'must be hosts (host or host:port) with commas between them, without http://',
);

/** The key file of a Google Cloud service account. */
export const serviceAccountKey = z
  .string()
  .transform((text, context) => {
    try {
      return readServiceAccountKey(text);
    } catch (error) {
      context.addIssue((error as Error).message);
      return z.NEVER;
    }
  })
  .optional();

const languageTagForm = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

/** A BCP 47 tag, such as `en` or `pt-BR`. Becomes its usual spelling, in which templates and translations have tags. */
export const languageTag = z.string().transform((text, context) => {
  const tag = languageTagForm.test(text) ? usualTag(text) : undefined;
  if (tag !== undefined) return tag;
  context.addIssue('must be a language tag such as en, de or pt-BR');
  return z.NEVER;
});

/** Returns undefined for a text that is not a tag, such as one with two regions. */
function usualTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    return undefined;
  }
}

/** Comma-separated secrets that a payment provider signs with. */
export const webhookSecrets = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    (all) => all.every((secret) => /^whsec_[\x21-\x7e]{16,}$/.test(secret)),
    'must be the signing secret that Stripe shows for the webhook, or several with commas between, each beginning with whsec_',
  )
  .optional();

import {
  googleResponse,
  googleProblems,
  googleProperties,
  type GoogleVertical,
} from '@passwright/google-wallet-schema';
import { isJsonObject } from './compact-jwt.js';
import { GoogleRejection, invalid } from './google-rejection.js';

/** The vertical of a resource, and whether the resource is a class or an object. */
export interface ResourceKind {
  readonly vertical: GoogleVertical;
  readonly part: 'class' | 'object';
}

/** A class or an object as the issuer wrote it. */
export type GoogleBody = Readonly<Record<string, unknown>> & { readonly id: string };

/** Properties that only Google sets. They are ignored in requests. */
const SET_BY_GOOGLE = ['hasUsers', 'hasLinkedDevice', 'classReference', 'review', 'version'];
const ENUM_NAMES = new Set(
  (
    'renderEncoding type state doorsOpenLabel confirmationCodeLabel gateLabel rowLabel seatLabel sectionLabel ' +
    'multipleDevicesAndHoldersAllowedStatus notifyPreference reviewStatus viewUnlockRequirement dateFormat ' +
    'transitOption genericType messageType redemptionChannel nfcConstraint screenshotEligibility animationType ' +
    'predefinedItem'
  ).split(' '),
);

/**
 * Converts a class or object to the stored form: enum values in UPPER_SNAKE, without `kind` and the properties that
 * Google sets.
 * @param rejectUnknown rejects unknown properties instead of dropping them; Google's behaviour is unknown
 * @throws GoogleRejection 400 if it violates the published schema
 */
export function conforming(kind: ResourceKind, sent: object, rejectUnknown: boolean): GoogleBody {
  const { vertical, part } = kind;
  const plain = Object.fromEntries(
    Object.entries(normalised(sent) as object).filter(([name]) => !SET_BY_GOOGLE.includes(name)),
  );
  const { reviewStatus } = plain as { reviewStatus?: unknown };
  if (reviewStatus === 'APPROVED' || reviewStatus === 'REJECTED')
    invalid(`Invalid review status Optional[${reviewStatus}]: each write of a class carries UNDER_REVIEW or DRAFT.`);
  const body = rejectUnknown ? plain : (shared(plain, googleResponse(vertical, part, plain)) as object);
  const problems = googleProblems(vertical, part, body);
  if (problems.length > 0) {
    const badId = problems.find((problem) => /^\$\.(?:id|classId) /.test(problem));
    throw new GoogleRejection(
      400,
      badId ? 'invalidResource' : 'invalid',
      badId ? `Invalid resource ID: ${badId}` : problems.join(' '),
      problems,
    );
  }
  return body as GoogleBody;
}

/**
 * Applies a PATCH to a stored resource. Null clears a property, also inside a nested object. A list or a nested object
 * is replaced as a whole.
 */
export function patched(stored: object, patch: object): object {
  return withoutNulls({ ...stored, ...patch });
}

function withoutNulls(value: object): object {
  const present = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(
    present.map(([name, inner]) => [name, isJsonObject(inner) ? withoutNulls(inner) : (inner as unknown)]),
  );
}

/**
 * Converts a resource to a response of Google: enum values in their old spelling, `kind` at each level, and default
 * values.
 */
export function asResponse(kind: ResourceKind, body: GoogleBody, hasUsers: boolean): Record<string, unknown> {
  const properties = googleProperties(kind.vertical, kind.part);
  const defaults =
    kind.part === 'class'
      ? { enableSmartTap: false, multipleDevicesAndHoldersAllowedStatus: 'statusUnspecified' }
      : { state: 'active', disableExpirationNotification: false, hasLinkedDevice: false };
  const known = Object.entries(defaults).filter(([name]) => properties.has(name));
  return {
    ...(Object.fromEntries(known) as Record<string, unknown>),
    ...googleResponse(kind.vertical, kind.part, body),
    ...(kind.part === 'object' && { hasUsers }),
  };
}

function normalised(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalised);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).filter(
    ([name, inner]) => name !== 'kind' || !String(inner).startsWith('walletobjects#'),
  );
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, ENUM_NAMES.has(name) ? enumValue(inner) : normalised(inner)]),
  );
}

/** Converts `qrCode` and `code128` to `QR_CODE` and `CODE_128`. */
function enumValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(enumValue);
  if (typeof value !== 'string' || !/^[a-z][A-Za-z0-9]*$/.test(value)) return value;
  return value.replace(/([a-z])([A-Z0-9])|([0-9])([A-Z])/g, '$1$3_$2$4').toUpperCase();
}

/** Returns the parts of a value whose property names another value also has, at each level. */
function shared(value: unknown, other: unknown): unknown {
  if (Array.isArray(value))
    return Array.isArray(other) ? value.map((item, index) => shared(item, other[index])) : value;
  if (!isJsonObject(value) || !isJsonObject(other)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name in other)
      .map(([name, inner]) => [name, shared(inner, other[name])]),
  );
}

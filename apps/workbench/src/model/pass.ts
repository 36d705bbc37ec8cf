import { type Body, isObject, itemsOf, textOf } from './template.js';

/** The texts that a person types to issue or change a pass. */
export interface PassInput {
  readonly id: string;
  readonly code: string;
  readonly primaryValue: string;
  /** Times of the API; empty for none. */
  readonly validFrom: string;
  readonly expiry: string;
  /** The values by key of a field; empty for the template's own. */
  readonly values: Readonly<Record<string, string>>;
  readonly metadata: string;
}

export const emptyInput: PassInput = {
  id: '',
  code: '',
  primaryValue: '',
  validFrom: '',
  expiry: '',
  values: {},
  metadata: '',
};

/** Returns the input that shows a stored pass. */
export function inputOf(pass: Body): PassInput {
  const values = [...itemsOf(pass, 'fields'), ...itemsOf(pass, 'backFields')].map((field) => [
    textOf(field, 'key'),
    textOf(field, 'value'),
  ]);
  const metadata = isObject(pass.metadata) && Object.keys(pass.metadata).length > 0 ? pass.metadata : null;
  return {
    id: textOf(pass, 'id'),
    code: textOf(pass, 'code'),
    primaryValue: textOf(pass, 'primaryValue'),
    validFrom: textOf(pass, 'validFrom'),
    expiry: textOf(pass, 'expiry'),
    values: Object.fromEntries(values) as Record<string, string>,
    metadata: metadata ? JSON.stringify(metadata, null, 2) : '',
  };
}

/** Returns the body that issues a pass. Leaves out what is empty, so that the template's values hold. */
export function requestOf(template: Body, input: PassInput): Body {
  const { id, code, primaryValue, validFrom, expiry, metadata } = input;
  const texts = { id, code, primaryValue, validFrom, expiry };
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
  const lists = (['fields', 'backFields'] as const).flatMap((name) => {
    const own = itemsOf(template, name).flatMap((field) => replaced(field, input.values[textOf(field, 'key')] ?? ''));
    return own.length > 0 ? [[name, own] as const] : [];
  });
  return { ...given, ...Object.fromEntries(lists), ...(metadata.trim() !== '' && { metadata: jsonOf(metadata) }) };
}

function replaced({ key, label, changeMessage }: Body, value: string): Body[] {
  return value === '' ? [] : [{ key, label, value, ...(changeMessage !== undefined && { changeMessage }) }];
}

/**
 * Returns the merge patch from one input to another. Lists are sent whole, because a patch replaces them whole; fields
 * of the pass that its template does not have stay.
 */
export function patchOf(pass: Body, template: Body, before: PassInput, after: PassInput): Body {
  const texts = (['code', 'primaryValue', 'validFrom', 'expiry'] as const).flatMap((name) =>
    before[name] === after[name] ? [] : [[name, after[name] === '' ? null : after[name]] as const],
  );
  const lists = (['fields', 'backFields'] as const).flatMap((name) => {
    const own = itemsOf(pass, name);
    const next = [
      ...own.flatMap((field) => {
        const value = after.values[textOf(field, 'key')];
        return value === '' ? [] : [value === undefined ? field : { ...field, value }];
      }),
      ...itemsOf(template, name)
        .filter(({ key }) => own.every((field) => field.key !== key))
        .flatMap((field) => replaced(field, after.values[textOf(field, 'key')] ?? '')),
    ];
    return JSON.stringify(next) === JSON.stringify(own) ? [] : [[name, next] as const];
  });
  const metadata =
    before.metadata === after.metadata
      ? {}
      : { metadata: after.metadata.trim() === '' ? null : jsonOf(after.metadata) };
  return { ...Object.fromEntries(texts), ...Object.fromEntries(lists), ...metadata };
}

/** Parses JSON. Returns any other text as it is, which the API rejects with a reason. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Returns the state of a pass in one word, and its tone. */
export function stateOf(
  pass: { voided: boolean; redeemedAt?: string; expiry?: string; validFrom?: string },
  now: number,
): { word: string; tone: 'good' | 'waiting' | 'ended' } {
  if (pass.voided) return { word: 'void', tone: 'ended' };
  if (pass.redeemedAt) return { word: 'redeemed', tone: 'ended' };
  if (pass.expiry && Date.parse(pass.expiry) <= now) return { word: 'expired', tone: 'ended' };
  if (pass.validFrom && Date.parse(pass.validFrom) > now) return { word: 'not valid yet', tone: 'waiting' };
  return { word: 'valid', tone: 'good' };
}

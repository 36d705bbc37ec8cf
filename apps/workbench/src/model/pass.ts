import { type Body, isObject, itemsOf, textOf } from './template.js';

/** The texts that a person types to issue or change a pass. */
export interface PassInput {
  readonly id: string;
  readonly code: string;
  readonly primaryValue: string;
  /** A time in the form of the API; empty for no time. */
  readonly validFrom: string;
  readonly expiry: string;
  /** The values of fields by their key. An empty value means the template's value. */
  readonly values: Readonly<Record<string, string>>;
  readonly metadata: string;
  /** The tag of the holder's language. */
  readonly language: string;
  readonly groupId: string;
  /** The position in the group, a whole number. */
  readonly groupOrder: string;
  /** The passes to which the pass links: `template/pass`, one on each line. */
  readonly linkedPasses: string;
}

export const emptyInput: PassInput = {
  id: '',
  code: '',
  primaryValue: '',
  validFrom: '',
  expiry: '',
  values: {},
  metadata: '',
  language: '',
  groupId: '',
  groupOrder: '',
  linkedPasses: '',
};

/** Converts a stored pass to the texts of its form. */
export function inputOf(pass: Body): PassInput {
  const values = [...itemsOf(pass, 'fields'), ...itemsOf(pass, 'backFields')].map((field) => [
    textOf(field, 'key'),
    textOf(field, 'value'),
  ]);
  const group = isObject(pass.group) ? pass.group : {};
  const metadata = isObject(pass.metadata) && Object.keys(pass.metadata).length > 0 ? pass.metadata : null;
  return {
    id: textOf(pass, 'id'),
    code: textOf(pass, 'code'),
    primaryValue: textOf(pass, 'primaryValue'),
    validFrom: textOf(pass, 'validFrom'),
    expiry: textOf(pass, 'expiry'),
    values: Object.fromEntries(values) as Record<string, string>,
    metadata: metadata ? JSON.stringify(metadata, null, 2) : '',
    language: textOf(pass, 'language'),
    groupId: textOf(group, 'id'),
    groupOrder: typeof group.order === 'number' ? String(group.order) : '',
    linkedPasses: itemsOf(pass, 'linkedPasses')
      .map((link) => `${textOf(link, 'templateId')}/${textOf(link, 'passId')}`)
      .join('\n'),
  };
}

/** Returns the body that issues a pass. Leaves out empty properties, so that the template's values apply. */
export function requestOf(template: Body, input: PassInput): Body {
  const { id, code, primaryValue, validFrom, expiry, metadata, language } = input;
  const texts = { id, code, primaryValue, validFrom, expiry, language };
  const linkedPasses = linksOf(input);
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
  const lists = (['fields', 'backFields'] as const).flatMap((name) => {
    const own = itemsOf(template, name).flatMap((field) => replaced(field, input.values[textOf(field, 'key')] ?? ''));
    return own.length > 0 ? [[name, own] as const] : [];
  });
  return {
    ...given,
    ...Object.fromEntries(lists),
    ...(input.groupId !== '' && { group: groupOf(input) }),
    ...(linkedPasses.length > 0 && { linkedPasses }),
    ...(metadata.trim() !== '' && { metadata: jsonOf(metadata) }),
  };
}

/** Returns the group of an input. The API rejects a position that is not a whole number. */
function groupOf({ groupId: id, groupOrder }: PassInput): Body {
  if (groupOrder === '') return { id };
  return { id, order: /^\d+$/.test(groupOrder) ? Number(groupOrder) : groupOrder };
}

/** Returns the links of an input. The API rejects a line of another form. */
function linksOf({ linkedPasses }: PassInput): Body[] {
  const lines = linkedPasses.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [templateId, ...rest] = line.split('/');
      return { templateId, passId: rest.join('/') };
    });
}

function replaced({ key, label, changeMessage }: Body, value: string): Body[] {
  return value === '' ? [] : [{ key, label, value, ...(changeMessage !== undefined && { changeMessage }) }];
}

/**
 * Returns the merge patch from one input to another, with whole lists, because a patch replaces lists. Keeps fields of
 * the pass that its template lacks.
 */
export function patchOf(pass: Body, template: Body, before: PassInput, after: PassInput): Body {
  const texts = (['code', 'primaryValue', 'validFrom', 'expiry', 'language'] as const).flatMap((name) =>
    before[name] === after[name] ? [] : [[name, after[name] === '' ? null : after[name]] as const],
  );
  const lists = (['fields', 'backFields'] as const).flatMap((name) => {
    const own = itemsOf(pass, name);
    const next = changedFields(own, itemsOf(template, name), after.values);
    return JSON.stringify(next) === JSON.stringify(own) ? [] : [[name, next] as const];
  });
  const metadata =
    before.metadata === after.metadata
      ? {}
      : { metadata: after.metadata.trim() === '' ? null : jsonOf(after.metadata) };
  return { ...Object.fromEntries(texts), ...Object.fromEntries(lists), ...relationsPatch(before, after), ...metadata };
}

/** Returns the pass's own fields with their new values, and then the template's fields that get a value. */
function changedFields(own: readonly Body[], ofTemplate: readonly Body[], values: PassInput['values']): Body[] {
  const kept = own.flatMap((field) => {
    const value = values[textOf(field, 'key')];
    return value === '' ? [] : [value === undefined ? field : { ...field, value }];
  });
  const others = ofTemplate.filter(({ key }) => own.every((field) => field.key !== key));
  return [...kept, ...others.flatMap((field) => replaced(field, values[textOf(field, 'key')] ?? ''))];
}

/** Returns the changes of the group and of the links. Null removes a position that was emptied. */
function relationsPatch(before: PassInput, after: PassInput): Body {
  const isSameGroup = before.groupId === after.groupId && before.groupOrder === after.groupOrder;
  const group = after.groupId === '' ? null : { order: null, ...groupOf(after) };
  const links = linksOf(after);
  return {
    ...(!isSameGroup && { group }),
    ...(before.linkedPasses !== after.linkedPasses && { linkedPasses: links.length > 0 ? links : null }),
  };
}

/** Parses JSON. Returns other text unchanged, so that the API rejects it with a reason. */
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

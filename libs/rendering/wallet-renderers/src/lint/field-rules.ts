import { changeMessagePattern, maxChangeMessageLength } from '../apple/change-message.js';
import { characterCount } from '../character-count.js';
import { fieldProblems, type FieldProblem } from '../merged-fields.js';
import type { FieldSets, RenderField, RenderTemplate } from '../model.js';
import type { ExaminedPass, Problem, Rule } from '../finding.js';
import { problemIf, quoted } from '../problem-text.js';

/** Returns the front fields and then the back fields of a document, with their paths. */
export function pathedFields(sets: FieldSets): { path: string; field: RenderField; isFront: boolean }[] {
  return [
    ...sets.fields.map((field, index) => ({ path: `fields[${index}]`, field, isFront: true })),
    ...sets.backFields.map((field, index) => ({ path: `backFields[${index}]`, field, isFront: false })),
  ];
}

/** Builds the two checks of a rule on the fields: one for templates, and one for passes. */
export function inBoth(check: (sets: FieldSets) => readonly Problem[]): Pick<Rule, 'template' | 'pass'> {
  return { template: (template) => check(template), pass: (pass) => check(pass) };
}

const problemsOf = (rule: FieldProblem['rule']): Pick<Rule, 'template' | 'pass'> => ({
  template: (template) => fieldProblems(template).filter((problem) => problem.rule === rule),
  pass: (pass, template) => fieldProblems(template, pass).filter((problem) => problem.rule === rule),
});

/**
 * Finds fields of a pass whose keys may be misspelt, because the template lacks them. Finds nothing if the pass
 * replaces every field of the template.
 */
function unknownKeys(pass: ExaminedPass, template: RenderTemplate): Problem[] {
  return (['fields', 'backFields'] as const).flatMap((side) => {
    const own = new Set(pass[side].map(({ key }) => key));
    const known = template[side].map(({ key }) => key);
    const untouched = known.filter((key) => !own.has(key)).slice(0, 3);
    if (untouched.length === 0) return [];
    return pass[side].flatMap(({ key }, index) => {
      const message = () => `${quoted(key)} is not a key of the template's ${side}, so the field is added to them`;
      const problems = problemIf(!known.includes(key), `${side}[${index}].key`, message);
      return problems.map((problem) => ({
        ...problem,
        fix: `use ${untouched.map(quoted).join(' or ')} to replace one`,
      }));
    });
  });
}

const seatKey = /^seats?(?:[-_]?(?:no|nr|numbers?))?$/i;

/** Returns the fields of an event that name a seat, with their paths. */
function seatsOf({ type }: RenderTemplate, sets: FieldSets) {
  return type === 'event' ? pathedFields(sets).filter(({ field }) => seatKey.test(field.key)) : [];
}

/** Finds seats in an event's template that the pass does not replace, because all tickets would show the same seat. */
function sharedSeats(pass: ExaminedPass, template: RenderTemplate): Problem[] {
  const own = new Set(pathedFields(pass).map(({ field }) => field.key));
  return seatsOf(template, template).flatMap(({ field: { key, value }, isFront }) =>
    problemIf(!own.has(key), isFront ? 'fields' : 'backFields', () => {
      return `the pass has no field ${quoted(key)}, so it shows the template's ${quoted(value)}`;
    }),
  );
}

function seatsOnBack(template: RenderTemplate, sets: FieldSets): Problem[] {
  return seatsOf(template, sets).flatMap(({ path, field, isFront }) =>
    problemIf(!isFront, path, () => `${quoted(field.key)} is on the back`),
  );
}

/** Rules on the keys, number and change messages of fields. */
export const fieldRules: readonly Rule[] = [
  {
    id: 'duplicate-key',
    severity: 'error',
    wallet: 'all',
    title: 'Two fields have the same key',
    why: 'Apple Wallet silently rejects a pass whose front has a key twice. Elsewhere one of the two fields is lost.',
    fix: 'keys are unique over front and back',
    ...problemsOf('duplicate-key'),
  },
  {
    id: 'reserved-key',
    severity: 'error',
    wallet: 'all',
    title: 'A key is empty or begins with an underscore',
    why: 'The service uses such keys for the fields that it adds, such as the date of an event.',
    fix: 'use a key that does not begin with "_"',
    ...problemsOf('reserved-key'),
  },
  {
    id: 'too-many-front-fields',
    severity: 'error',
    wallet: 'all',
    title: 'The front has more than 4 fields',
    why: 'Secondary and auxiliary fields of coupons, store cards and generic passes share 4 places. An event has 4 in addition to its date and place. Phones leave out the others.',
    fix: 'at most 4',
    ...problemsOf('too-many-front-fields'),
  },
  {
    id: 'change-message-form',
    severity: 'error',
    wallet: 'walletA',
    title: 'A change message does not have exactly one %@',
    why: 'Phones show a change only if its message has exactly one place for the new value.',
    fix: `at most ${maxChangeMessageLength} characters with exactly one "%@" for the new value, or "" for silence`,
    ...inBoth(({ fields }) =>
      fields.flatMap(({ changeMessage }, index) => {
        const text = changeMessage ?? '';
        const wrong = !changeMessagePattern.test(text) || characterCount(text) > maxChangeMessageLength;
        return problemIf(wrong, `fields[${index}].changeMessage`, () => `${quoted(text)} is not a change message`);
      }),
    ),
  },
  {
    id: 'unknown-key',
    severity: 'warning',
    wallet: 'all',
    title: 'A field of a pass does not replace a field of its template',
    why: 'The pass shows this field in addition to all fields of the template. Often the key is misspelt.',
    fix: "use the key of one of the template's fields",
    pass: unknownKeys,
  },
  {
    id: 'seat-of-template',
    severity: 'warning',
    wallet: 'all',
    title: 'A ticket has no seat of its own',
    why: 'It shows the seat of its template, like every other ticket of the event.',
    fix: 'give the pass a field with the same key and its own seat',
    pass: sharedSeats,
  },
  {
    id: 'seat-on-back',
    severity: 'info',
    wallet: 'all',
    title: 'The seat of a ticket is on the back',
    why: 'Holders look for their seat on the front, and watches do not show the back.',
    fix: 'put it on the front',
    template: (template) => seatsOnBack(template, template),
    pass: (pass, template) => seatsOnBack(template, pass),
  },
  {
    id: 'empty-value',
    severity: 'info',
    wallet: 'all',
    title: 'A front field is empty',
    why: 'Phones leave out a front field without a value, and its label.',
    fix: 'give it a value, here or in each pass',
    ...inBoth(({ fields }) =>
      fields.flatMap(({ key, value }, index) =>
        problemIf(value.trim() === '', `fields[${index}].value`, () => `the value of ${quoted(key)} is empty`),
      ),
    ),
  },
];

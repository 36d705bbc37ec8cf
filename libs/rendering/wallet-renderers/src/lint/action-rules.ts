import { actionAddress, addressFault, maxActions, type WithActions } from '../actions.js';
import type { ActionType } from '../model.js';
import type { Problem, Rule } from '../finding.js';
import { problemIf, quoted } from '../problem-text.js';

/** Builds the two checks of a rule on actions: one for templates, and one for passes. */
function inActions(
  check: (actions: NonNullable<WithActions['actions']>) => readonly Problem[],
): Pick<Rule, 'template' | 'pass'> {
  return { template: ({ actions }) => check(actions ?? []), pass: ({ actions }) => check(actions ?? []) };
}

/** The fixes for actions whose type needs an address other than a web address. */
const fixes: Partial<Record<ActionType, string>> = {
  call: 'give tel: and the number, such as tel:+4722334455',
  place: 'give the address of the place, such as https://maps.apple.com/place?place-id=I63802885C8189B2B',
};

/** Rules on the buttons beside a pass. */
export const actionRules: readonly Rule[] = [
  {
    id: 'action-address',
    severity: 'error',
    wallet: 'all',
    title: 'The address of an action does not suit its type',
    why: 'Phones and browsers open it as it is: a call needs a telephone number, a place its address in Apple Maps, every other action an https page.',
    fix: 'give an https address',
    ...inActions((actions) =>
      actions.flatMap(({ type, url }, index): Problem[] => {
        if (actionAddress({ type, url }) !== null) return [];
        const path = `actions[${index}].url`;
        const message = `${quoted(url)} ${addressFault({ type, url })}`;
        const fix = fixes[type];
        return [{ path, message, ...(fix !== undefined && { fix }) }];
      }),
    ),
  },
  {
    id: 'too-many-actions',
    severity: 'error',
    wallet: 'all',
    title: `There are more than ${maxActions} actions`,
    why: `Apple Wallet shows at most ${maxActions} actions of a pass.`,
    fix: `at most ${maxActions}`,
    ...inActions(({ length }) => problemIf(length > maxActions, 'actions', () => `${length} actions`)),
  },
  {
    id: 'same-actions',
    severity: 'warning',
    wallet: 'all',
    title: 'Two actions have the same type',
    why: 'Wallets choose the icon and the words of a button by its type, so both buttons look the same.',
    fix: 'use two types, or one action',
    ...inActions((actions) =>
      actions.flatMap(({ type }, index) => {
        const first = actions.findIndex((action) => action.type === type);
        return problemIf(first < index, `actions[${index}].type`, () => {
          return `${quoted(type)} is already the type of actions[${first}]`;
        });
      }),
    ),
  },
];

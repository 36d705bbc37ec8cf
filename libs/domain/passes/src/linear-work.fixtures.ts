import type { WorkCase } from '@passwright/testing';
import {
  examine,
  frontChanges,
  mergedFields,
  oneLine,
  preview,
  previewWallets,
  type PreviewWallet,
  shortened,
} from '@passwright/wallet-renderers';
import { applyMergePatch, type JsonRecord } from './content/merge-patch.js';
import { contentProblems } from './content/pass-content.js';
import { aContent, aPass, aTemplate, now } from './content/pass.fixtures.js';

const repeated = (text: string) => (size: number) => text.repeat(size);
const named = (size: number) => Object.fromEntries(Array.from({ length: size }, (_, n) => [`k${n}`, n]));
const nested = (size: number) => JSON.parse(`${'{"a":'.repeat(size)}1${'}'.repeat(size)}`) as JsonRecord;
const fields = (size: number) => Array.from({ length: size }, (_, n) => ({ key: `k${n}`, label: 'L', value: 'V' }));
const valued = (value: string) => [{ key: 'k', label: 'L', value }];
const drawn = (wallet: PreviewWallet, all: ReturnType<typeof fields>) =>
  preview(aTemplate(), aPass(aTemplate(), { fields: all, backFields: all }), {
    wallet,
    theme: 'light',
    images: {},
    now,
  });
const passWith = (backFields: ReturnType<typeof fields>) => aPass(aTemplate(), { backFields });

/** The parsers of this package, each with the input that costs it the most work. */
export const cases: readonly WorkCase[] = [
  ['a merge patch of many names', named, (patch: JsonRecord) => applyMergePatch(named(10), patch)],
  ['a merge patch of nested objects', nested, (patch: JsonRecord) => applyMergePatch({}, patch)],
  [
    'a merge patch that removes names',
    named,
    (target: JsonRecord) =>
      applyMergePatch(target, Object.fromEntries(Object.keys(target).map((name) => [name, null]))),
  ],
  [
    'the check of many fields',
    fields,
    (backFields: ReturnType<typeof fields>) => contentProblems(aTemplate(), aContent({ backFields })),
  ],
  [
    'the check of a long value',
    repeated('a'),
    (value: string) => contentProblems(aTemplate(), aContent({ backFields: valued(value) })),
  ],
  [
    'merged fields',
    fields,
    (all: ReturnType<typeof fields>) =>
      mergedFields({ fields: all, backFields: all }, { fields: all, backFields: all }),
  ],
  [
    'notices of changes',
    fields,
    (all: ReturnType<typeof fields>) => {
      const template = aTemplate('offer', { fields: all });
      const changed = all.map((field) => ({ ...field, value: 'W' }));
      return frontChanges(
        { template, pass: aPass(template) },
        { template: { ...template, fields: changed }, pass: aPass(template) },
        now,
      );
    },
  ],
  [
    'the lint of many fields',
    fields,
    (backFields: ReturnType<typeof fields>) => examine({ ...aTemplate(), backFields }, passWith(backFields), null),
  ],
  [
    'the lint of a long value',
    repeated('a.'),
    (value: string) => examine({ ...aTemplate(), backFields: valued(value) }, passWith(valued(value)), null),
  ],
  [
    'the lint of a value of links',
    repeated('https://a.b '),
    (value: string) => examine({ ...aTemplate(), backFields: valued(value) }, null, null),
  ],
  [
    'the lint of rejected fields',
    (size: number) => fields(size).map((field) => ({ ...field, key: '' })),
    (backFields: ReturnType<typeof fields>) => examine({ ...aTemplate(), backFields }, passWith(backFields), null),
  ],
  ...previewWallets.flatMap((wallet): WorkCase[] => [
    [`a preview of a long value in ${wallet}`, repeated('a b '), (value: string) => drawn(wallet, valued(value))],
    [`a preview of many fields in ${wallet}`, fields, (all: ReturnType<typeof fields>) => drawn(wallet, all)],
  ]),
  ['a line of a mail', repeated(' \t'), oneLine],
  ['a shortened line', repeated('é'), (text: string) => shortened(text, text.length - 1)],
];

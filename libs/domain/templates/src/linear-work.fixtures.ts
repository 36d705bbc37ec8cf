import { isColour, parseColour } from '@passwright/wallet-renderers';
import type { WorkCase } from '@passwright/testing';
import { templateExamples } from './templates/template-examples.js';
import { TemplateRequestPipe } from './templates/template-request.pipe.js';

const pipe = new TemplateRequestPipe();
const repeated = (text: string) => (size: number) => text.repeat(size);
const read = (changes: object) => pipe.transform({ ...templateExamples.offer.value, ...changes });
const fields = (size: number) => Array.from({ length: size }, (_, n) => ({ key: `k${n}`, label: 'L', value: 'V' }));
const places = (size: number) => Array.from({ length: size }, () => ({ address: 'A', latitude: 1.5, longitude: -2 }));

/** The parsers of this package, each with the input that takes it the longest. */
export const cases: readonly WorkCase[] = [
  ['a colour of spaces', repeated(' '), (text: string) => isColour(`rgb(${text}`)],
  ['a colour of digits', repeated('1'), (text: string) => isColour(`rgb(${text},`)],
  ['a colour of percentages', repeated('1%,'), (text: string) => parseColour(`rgba(${text})`)],
  ['a hexadecimal colour', repeated('f'), (text: string) => parseColour(`#${text}`)],
  ['a title', repeated('é'), (title: string) => read({ title })],
  ['an address of an image', repeated('a.'), (host: string) => read({ icon: `https://${host}com/icon.png` })],
  ['fields', fields, (all: object[]) => read({ fields: all })],
  [
    'fields of one key',
    (size: number) => fields(size).map((field) => ({ ...field, key: 'k' })),
    (all: object[]) => read({ fields: all }),
  ],
  ['the key of a field', repeated('k'), (key: string) => read({ fields: [{ key, label: 'L', value: 'V' }] })],
  ['places', places, (locations: object[]) => read({ locations })],
];

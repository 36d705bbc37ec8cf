import type { WorkCase } from '@passwright/testing';
import { type CompiledFiles, compileFiles, CompiledPackage } from '@passwright/wallet-renderers';
import { takenLines } from './logs/log-lines.js';
import { decodeTag, isSigned } from './devices/update-tag.js';

const repeated = (text: string) => (size: number) => text.repeat(size);
const lines = (size: number) => Array.from({ length: size }, (_, n) => `Web service error for pass ${n}`);

const layout = new CompiledPackage([]);
const setsOfFiles = (size: number) =>
  Array.from({ length: size }, (_, n) => compileFiles([{ name: `aa-${n}.lproj/logo.png`, data: Buffer.alloc(9) }]));

/** The parsers and builders of this package, each with the input that costs it the most work. */
export const cases: readonly WorkCase[] = [
  ['log lines', lines, takenLines],
  ['one log line of line ends', repeated('\n'), (line: string) => takenLines([line])],
  ['one log line of quotation marks', repeated("'"), (line: string) => takenLines([line])],
  ['an update tag', repeated('1:'), decodeTag],
  ['a package with many sets of files', setsOfFiles, (sets: CompiledFiles[]) => layout.with(...sets)],
  ['the signature of an update tag', repeated('A.'), (tag: string) => isSigned(tag, 'secret')],
];

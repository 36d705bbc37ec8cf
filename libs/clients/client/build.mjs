// Builds the package as ES modules, and also as CommonJS for programs that `require` it.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const compile = (...args) => execFileSync(process.execPath, [tsc, ...args], { stdio: 'inherit' });

compile('-b');
compile('-p', 'tsconfig.commonjs.json');
// Declare the files of this folder as CommonJS, because the package is ESM.
writeFileSync('dist/commonjs/package.json', '{ "type": "commonjs" }\n');

import { join } from 'node:path';
import ts from 'typescript';
import { followEvents, Passwright } from './index.js';
import { json, ScriptedService } from './scripted-service.fixtures.js';

let service: ScriptedService;
beforeAll(async () => {
  service = await ScriptedService.start();
});
afterAll(() => service.stop());

/** A program that passes values that may be undefined. */
const program = `
import { etagOf, followEvents, Passwright } from './index.js';
declare const text: string | undefined;
declare const count: number | undefined;
declare const signal: AbortSignal | undefined;
const passwright = new Passwright({ baseUrl: '', token: text, timeoutMs: count, userAgent: text, fetch: undefined });
const pass = await passwright.getPass({ templateId: 'a', passId: 'b', signal });
const change = { templateId: 'a', passId: 'b', body: { primaryValue: 'Ada' } };
await passwright.updatePass({ ...change, ifMatch: etagOf(pass), idempotencyKey: text });
passwright.each('listPasses', { templateId: 'a', limit: count, code: text });
passwright.createPassesFrom({ templateId: 'a', timeoutMs: count }, []);
followEvents(passwright, { webhookId: 'c', cursor: text, limit: count, from: undefined });
// @ts-expect-error a required parameter must be set
await passwright.getPass({ templateId: 'a', passId: text });
`;

it('a program with exactOptionalPropertyTypes may set options and parameters to undefined', () => {
  const file = join(__dirname, 'unset.ts');
  const options: ts.CompilerOptions = {
    ...{ target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.Preserve, noEmit: true, types: ['node'] },
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true, lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'] },
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, version, ...rest) =>
    name === file ? ts.createSourceFile(name, program, version) : getSourceFile(name, version, ...rest);
  const compiled = ts.createProgram([file], options, host);
  const problems = compiled.getSemanticDiagnostics(compiled.getSourceFile(file));
  expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
});

it('an undefined option or parameter has the same effect as an omitted one', async () => {
  const passwright = new Passwright({ baseUrl: service.baseUrl });
  const unset = { timeoutMs: undefined, limit: undefined };
  service.script(json(200, { data: [], nextCursor: null, cursor: 'a' }));
  await passwright.pages('listTemplates', unset).next();
  await followEvents(passwright, { webhookId: 'b', ...unset }).next();
  expect(service.received.map(({ url }) => new URL(url, service.baseUrl).search)).toEqual([
    '?limit=100',
    '?limit=100&wait=25',
  ]);
  // A batch has a longer time limit than other calls.
  const timers = jest.spyOn(globalThis, 'setTimeout');
  service.script((response) => {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' }).end('{"id":"a"}\n');
  });
  await passwright.createPassesFrom({ templateId: 'a', timeoutMs: undefined }, [{ id: 'a' }]).next();
  const limits = timers.mock.calls.map(([, ms]) => ms);
  timers.mockRestore();
  expect(limits).toContain(300_000);
  expect(limits).not.toContain(30_000);
});

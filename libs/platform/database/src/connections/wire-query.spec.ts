import { Connection } from 'pg';
import { WireQuery, withStack } from './wire-query.js';

it.each([
  'submit',
  'prepare',
  'handleRowDescription',
  'handleDataRow',
  'handleCommandComplete',
  'handleError',
] as const)("pg's query class has the method `%s`, which its types omit", (method) => {
  expect(new WireQuery({ text: 'SELECT 1' })[method]).toBeInstanceOf(Function);
});

it("pg's connection has the members that its types omit", () => {
  const connection = new Connection({});
  expect(connection).toMatchObject({ submittedNamedStatements: {}, execute: expect.any(Function) });
});

it('withStack throws the same error with the stack of its caller', () => {
  const error = new Error('no');
  error.stack = 'the stack of the driver';
  const nameInTheStack = () => withStack(error);
  expect(nameInTheStack).toThrow(error);
  expect(error.stack).toContain('nameInTheStack');
});

import type { ExecutionContext } from '@nestjs/common';
import { GuardChain, type ChainedGuard } from './guard-chain.js';

const context = {} as ExecutionContext;
const calls: string[] = [];
const guard = (name: string, result: () => boolean | Promise<boolean>): ChainedGuard => ({
  canActivate: () => {
    calls.push(name);
    return result();
  },
});
const now = (admits: boolean) => () => admits;
const later = (admits: boolean) => () => Promise.resolve(admits);

beforeEach(() => calls.splice(0));

it('a chain of guards responds immediately if each guard does', () => {
  expect(new GuardChain([guard('a', now(true)), guard('b', now(true))]).canActivate(context)).toBe(true);
  expect(new GuardChain([guard('c', now(false)), guard('d', now(true))]).canActivate(context)).toBe(false);
  expect(calls).toEqual(['a', 'b', 'c']);
});

it('each guard of a chain waits for the guard before it, and a rejection ends the chain', async () => {
  const admitting = [guard('a', now(true)), guard('b', later(true)), guard('c', now(true)), guard('d', later(true))];
  await expect(new GuardChain(admitting).canActivate(context)).resolves.toBe(true);
  expect(calls.splice(0)).toEqual(['a', 'b', 'c', 'd']);
  const rejecting = [guard('a', later(true)), guard('b', later(false)), guard('c', now(true))];
  await expect(new GuardChain(rejecting).canActivate(context)).resolves.toBe(false);
  expect(calls.splice(0)).toEqual(['a', 'b']);
  const failing = [guard('a', () => Promise.reject(new Error('no'))), guard('b', now(true))];
  await expect(new GuardChain(failing).canActivate(context)).rejects.toThrow('no');
  expect(calls).toEqual(['a']);
});

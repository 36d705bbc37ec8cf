import type { Context } from '../context.js';
import { login, type LoginOptions } from './login.js';

/** Runs `login` in a project with this address. Returns the questions, up to the first that asks for a secret. */
async function questionsOf(url: string, options: LoginOptions): Promise<string[]> {
  const questions: string[] = [];
  const askSecret = (question: string) => {
    questions.push(question);
    return Promise.reject(new Error('not told'));
  };
  const context = {
    io: { env: {} },
    options: {},
    prompt: { possible: true, askSecret },
    profiles: { find: () => Promise.resolve(null) },
    findProject: () => Promise.resolve({ folder: '/project', templates: '/project/templates', url }),
  };
  await expect(login(context as unknown as Context, options)).rejects.toThrow('not told');
  return questions;
}

it('login shows the address that will receive the password or key', async () => {
  const url = 'https://passes.example.com';
  expect(await questionsOf(url, { email: 'ada@example.com' })).toEqual([`Password for ${url}`]);
  expect(await questionsOf(url, { key: true })).toEqual([`API key for ${url}`]);
});

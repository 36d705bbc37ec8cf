import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import { Failure } from '../failures.js';
import type { Project } from '../project.js';
import { isMap, same, type TemplateBody } from './template-body.js';

const lockFile = 'passwright.lock';

type Accounts = Map<string, Map<string, TemplateBody>>;

/**
 * The templates as they were at the last pull or push, in `passwright.lock`. The file belongs in the repository, so
 * that a fresh clone can find later changes on the service.
 */
export class Lock {
  private changed = false;

  private constructor(
    private readonly path: string,
    private readonly accounts: Accounts,
  ) {}

  /**
   * Reads the lock, or creates an empty one if there is no file.
   * @throws Failure that names the mistake in the file
   */
  static async read({ folder }: Project): Promise<Lock> {
    const path = join(folder, lockFile);
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw new Failure(`${path} cannot be read: ${error.message}.`);
    });
    return new Lock(path, text === null ? new Map<string, never>() : parsed(path, text));
  }

  /** Returns the template at the last pull or push, or undefined if this project has never pulled or pushed it. */
  base(accountId: string, templateId: string): TemplateBody | undefined {
    return this.accounts.get(accountId)?.get(templateId);
  }

  /** Records a template that is now equal in the file and on the service. */
  agree(accountId: string, templateId: string, body: TemplateBody): void {
    if (same(this.base(accountId, templateId), body)) return;
    const templates = this.accounts.get(accountId) ?? new Map<string, TemplateBody>();
    this.accounts.set(accountId, templates.set(templateId, body));
    this.changed = true;
  }

  /** Removes a template that the service no longer has. */
  forget(accountId: string, templateId: string): void {
    if (this.accounts.get(accountId)?.delete(templateId)) this.changed = true;
  }

  /** Writes the file atomically if the lock has changed. */
  async save(): Promise<void> {
    if (!this.changed) return;
    const accounts = Object.fromEntries(
      [...this.accounts].map(([id, templates]) => [id, Object.fromEntries(templates)]),
    );
    const draft = `${this.path}.${process.pid}`;
    // Sort the templates, so that git can merge branches that change different templates.
    const content = stringify({ version: 1, accounts }, { lineWidth: 0, sortMapEntries: true });
    await writeFile(draft, `${heading}${content}`);
    await rename(draft, this.path);
    this.changed = false;
  }
}

const heading =
  '# The templates at the last pull or push. The command line writes this file: commit it, do not edit it.\n';

function parsed(path: string, text: string): Accounts {
  const wrong = (what: string) =>
    new Failure(`${path}: ${what}.`, 'Restore the committed file, or delete it and run: passwright templates pull');
  if (/^(?:<{7}|>{7}) /m.test(text)) throw wrong('it has merge conflicts');
  const document = parseDocument(text);
  const [mistake] = document.errors;
  if (mistake) throw wrong(mistake.message.trim());
  let content: unknown;
  try {
    content = document.toJS();
  } catch (error) {
    // An alias has no target, or the aliases expand too far.
    throw wrong((error as Error).message);
  }
  if (!isMap(content) || !isMap(content.accounts)) throw wrong('it is not a lock file');
  if (content.version !== 1)
    throw new Failure(`${path} was written by a newer version of passwright.`, 'Update the command line.');
  const entries = Object.entries(content.accounts).map(([id, templates]) => {
    if (!isMap(templates) || !Object.values(templates).every(isMap)) throw wrong(`${id} contains no templates`);
    return [id, new Map(Object.entries(templates as Record<string, TemplateBody>))] as const;
  });
  return new Map(entries);
}

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import { serviceUrl } from '../connection.js';
import type { Context } from '../context.js';
import { Failure, WrongUsage } from '../failures.js';
import { projectFile, projectOf, type Project } from '../project.js';
import { stateFolder } from '../templates/state.js';
import { readTemplates } from '../templates/template-files.js';
import { exampleId, exampleImages, exampleTemplate } from './example-template.js';

export interface InitOptions {
  templates?: string;
  /** False with `--no-example`. */
  example?: boolean;
  /** True overwrites different values in passwright.yaml. */
  force?: boolean;
}

/**
 * Runs `passwright init`: creates missing files. It changes only two existing files: `.gitignore`, and
 * `passwright.yaml` with `--force`.
 */
export async function init(context: Context, options: InitOptions): Promise<void> {
  const { io, output } = context;
  const { project, made } = await projectIn(context, options);
  made.push(...(await ignoreState(io.cwd)));
  const isEmpty = (await readTemplates(project.templates)).length === 0;
  if (options.example !== false && isEmpty) made.push(...(await makeExample(context, project)));
  const files = made.map((path) => relative(io.cwd, path));
  output.result({ url: project.url ?? null, templates: relative(io.cwd, project.templates), made: files });
  if (files.length === 0) return output.line('All files exist already; nothing was changed.');
  for (const file of files) output.line(`${output.style('green', '✓')} ${file}`);
  output.line();
  output.line('Next:');
  output.table(
    [
      [output.command('login'), output.style('dim', 'create a key for this machine')],
      [output.command('templates push'), output.style('dim', 'apply the template to the service')],
    ],
    '  ',
  );
}

async function projectIn(context: Context, options: InitOptions): Promise<{ project: Project; made: string[] }> {
  const path = join(context.io.cwd, projectFile);
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text !== null) return changed(context, options, { path, text });
  const url = await addressOf(context);
  const asked =
    options.templates ??
    (context.prompt.possible ? await context.prompt.ask('Folder for templates', 'templates') : 'templates');
  const templates = folderOf(context, asked);
  const content = `# Passwright: the address of the service, and the folder of the templates. This file contains no secrets.\n${stringify({ url, templates })}`;
  await writeFile(path, content);
  return { project: projectOf(context.io.cwd, content), made: [path] };
}

/** Returns the folder relative to the working directory. @throws WrongUsage if it is outside */
function folderOf({ io }: Context, asked: string): string {
  const folder = relative(io.cwd, resolve(io.cwd, asked)).replaceAll('\\', '/');
  if (folder.startsWith('..') || isAbsolute(folder)) throw new WrongUsage(`${asked} is outside this folder.`);
  return folder || '.';
}

/**
 * Returns the text of the existing file with the requested values. Keeps its comments.
 * @throws Failure if a value differs, unless `--force` is set
 */
async function changed(context: Context, options: InitOptions, { path, text }: { path: string; text: string }) {
  const { io, prompt } = context;
  const project = projectOf(io.cwd, text);
  const wanted = {
    ...(context.options.url !== undefined && { url: serviceUrl(context.options.url) }),
    ...(options.templates !== undefined && { templates: folderOf(context, options.templates) }),
  };
  const said = {
    url: project.url && serviceUrl(project.url),
    templates: relative(io.cwd, project.templates).replaceAll('\\', '/') || '.',
  };
  const others = (['url', 'templates'] as const).filter((name) => wanted[name] && wanted[name] !== said[name]);
  if (others.length === 0) return { project, made: [] };
  const differs = others.map((name) => `${name} ${said[name] ?? 'none'}, not ${wanted[name]}`).join('; ');
  const message = `${projectFile} exists already and says ${differs}.`;
  const isMeant = options.force === true || (prompt.possible && (await prompt.confirm(`${message} Change it?`)));
  if (!isMeant)
    throw new Failure(message, 'To change it: --force. To keep it, leave the option out.', 'project_differs');
  const document = parseDocument(text);
  for (const name of others) document.set(name, wanted[name]);
  await writeFile(path, document.toString());
  return { project: projectOf(io.cwd, document.toString()), made: [path] };
}

async function addressOf({ options, io, prompt, profiles }: Context): Promise<string> {
  const known = options.url ?? io.env.PASSWRIGHT_URL ?? (await profiles.find(options.profile ?? 'default'))?.url;
  if (options.url ?? io.env.PASSWRIGHT_URL) return serviceUrl(known ?? '');
  if (prompt.possible) return serviceUrl(await prompt.ask('Address of the service', known ?? 'http://localhost:3000'));
  if (known) return known;
  throw new WrongUsage('The address of the service is missing.', 'Add it: --url https://passes.example.com');
}

/**
 * Adds the state file to `.gitignore`, because the file describes only one checkout.
 * @returns the changed file
 */
async function ignoreState(folder: string): Promise<string[]> {
  const path = join(folder, '.gitignore');
  const text = await readFile(path, 'utf8').catch(() => '');
  if (text.split(/\r?\n/).some((line) => line.replace(/^\/|\/$/g, '') === stateFolder)) return [];
  await writeFile(path, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${stateFolder}/\n`);
  return [path];
}

/** Creates the example template and its image files. Uses image addresses instead if the service is unreachable. */
async function makeExample({ output, io }: Context, { templates, url = '' }: Project): Promise<string[]> {
  const path = join(templates, `${exampleId}.yaml`);
  await mkdir(templates, { recursive: true });
  try {
    const images = await Promise.all(
      exampleImages.map(async (name) => ({ name, bytes: await sample(url, name, io.signal) })),
    );
    const files = images.map(({ name, bytes }) => ({ path: join(templates, exampleId, `${name}.png`), bytes }));
    await mkdir(join(templates, exampleId), { recursive: true });
    for (const file of files) await writeFile(file.path, file.bytes);
    await writeFile(
      path,
      exampleTemplate((name) => `${exampleId}/${name}.png`),
    );
    return [path, ...files.map((file) => file.path)];
  } catch {
    output.warn(`${url} does not respond yet, so the example contains image addresses instead of files.`);
    await writeFile(
      path,
      exampleTemplate((name) => `${url}/images/samples/${name}.png`),
    );
    return [path];
  }
}

async function sample(url: string, name: string, stop: AbortSignal): Promise<Uint8Array> {
  const response = await fetch(`${url}/images/samples/${name}.png`, {
    signal: AbortSignal.any([stop, AbortSignal.timeout(5_000)]),
  });
  if (!response.ok) throw new Error(`${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

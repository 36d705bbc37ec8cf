import type { Passwright } from '@passwright/client';
import { connectionOf, type Connection } from './connection.js';
import { Failure, Interrupted } from './failures.js';
import type { Io } from './io.js';
import { Output } from './output.js';
import { Profiles } from './profiles.js';
import { findProject, projectFile, type Project } from './project.js';
import { Prompt } from './prompt.js';

/** The options every command takes. */
export interface GlobalOptions {
  json?: boolean;
  profile?: string;
  url?: string;
  /** False with `--no-color`. */
  color?: boolean;
}

/** What the commands share: the terminal, the service and the project. Made once for a run. */
export class Context {
  readonly output: Output;
  readonly prompt: Prompt;
  readonly profiles: Profiles;
  /** What the run ends with when no error does; a command may set it. */
  exitCode = 0;
  options: GlobalOptions = {};

  constructor(readonly io: Io) {
    this.output = new Output(io);
    this.prompt = new Prompt(io);
    this.profiles = new Profiles(io);
  }

  /** Takes the options of the command that runs; called before its action. */
  use(options: GlobalOptions): void {
    this.options = options;
    this.output.json = options.json === true;
    this.output.plain = options.color === false;
  }

  /** The service and the key, found once. @throws Failure that says how to log in */
  async connection(): Promise<Connection> {
    const project = await this.findProject();
    return connectionOf({ ...this.options, projectUrl: project?.url }, this.io.env, this.profiles);
  }

  /** A client that is logged in. */
  async client(): Promise<Passwright> {
    const { url, key } = await this.connection();
    return clientOf(url, key);
  }

  findProject(): Promise<Project | null> {
    return findProject(this.io.cwd);
  }

  async project(): Promise<Project> {
    const project = await this.findProject();
    if (project) return project;
    throw new Failure(
      `There is no ${projectFile} here or in a folder above.`,
      'Make one: passwright init',
      'no_project',
    );
  }

  /** To be called between steps that must not be begun after Ctrl-C. @param message what has been done so far */
  checkInterrupted(message?: string): void {
    if (this.io.signal.aborted) throw new Interrupted(message);
  }
}

/** @param token left out for what needs none: signing in */
export async function clientOf(url: string, token = ''): Promise<Passwright> {
  // The client is an ES module, and this package is not.
  const { Passwright: Client } = await import('@passwright/client');
  return new Client({ baseUrl: url, token });
}

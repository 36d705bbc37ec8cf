import { Passwright } from '@passwright/client';
import { connectionOf, type Connection } from './connection.js';
import { Failure, Interrupted } from './failures.js';
import type { Io } from './io.js';
import { Output } from './output.js';
import { ProfileStore } from './profile-store.js';
import { findProject, projectFile, type Project } from './project.js';
import { Prompt } from './prompt.js';

/** The options of every command. */
export interface GlobalOptions {
  json?: boolean;
  profile?: string;
  url?: string;
  /** False if the user has given `--no-color`. */
  color?: boolean;
}

/** The shared state of commands: terminal, service and project. Created once per run. */
export class Context {
  readonly output: Output;
  readonly prompt: Prompt;
  readonly profiles: ProfileStore;
  /** The exit code if the run ends without an error. A command may change it. */
  exitCode = 0;
  options: GlobalOptions = {};
  /** The source of the key that the command uses; null if it has not used one. */
  keySource: string | null = null;

  constructor(readonly io: Io) {
    this.output = new Output(io);
    this.prompt = new Prompt(io);
    this.profiles = new ProfileStore(io);
  }

  /** Stores the options of the current command. Called before the command's action. */
  use(options: GlobalOptions): void {
    this.options = options;
    this.output.json = options.json === true;
    this.output.plain = options.color === false;
  }

  /** Finds the service and the key. @throws Failure that says how to log in */
  async connection(): Promise<Connection> {
    const project = await this.findProject();
    const connection = await connectionOf({ ...this.options, projectUrl: project?.url }, this.io.env, this.profiles);
    this.keySource = connection.source;
    return connection;
  }

  /** Returns a logged-in client. */
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
      'Create one: passwright init',
      'no_project',
    );
  }

  /**
   * Ends the command if Ctrl-C was pressed. Call it before each step that must not begin after Ctrl-C.
   * @param message the progress so far
   */
  checkInterrupted(message?: string): void {
    if (this.io.signal.aborted) throw new Interrupted(message);
  }
}

/**
 * Creates a client.
 * @param token omit it for calls that need no key, such as signing in
 */
export function clientOf(url: string, token = ''): Passwright {
  return new Passwright({ baseUrl: url, token });
}

import { Socket } from 'node:net';
import { Client } from 'pg';
import { ROLE } from './cluster.js';

// An arbitrary number that identifies this lock: the bytes of "pgpw".
const USERS_LOCK = 0x70677077;
const RECONNECT_MS = 200;
/** The longest pause between two attempts to restart a server that fails to start. */
const MAX_PAUSE_MS = 10_000;

/**
 * One user of the server: an idle connection that holds a shared lock. The server counts its users by these locks, so a
 * killed user no longer counts. The connection does not keep the process alive.
 */
export class ServerSession {
  /** Called when the server exits unexpectedly. If it throws, it is called again after a pause. */
  revive: () => Promise<void> = () => Promise.reject(new Error('The server is gone'));

  private left = false;
  /** A login in progress. Its connection also holds the lock, so `leave` must end it. */
  private loggingIn: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly port: number,
    private readonly password: string,
    private client: Client,
    private socket: Socket,
  ) {
    this.rest();
  }

  /**
   * Opens a session with a real login, which fails on another server that uses the same port.
   * @throws the server's error
   */
  static async open(port: number, password: string): Promise<ServerSession> {
    const { client, socket } = await login(port, password);
    return new ServerSession(port, password, client, socket);
  }

  /** Returns the address of a database on the server. */
  url(database: string): string {
    return `postgres://${ROLE}:${this.password}@127.0.0.1:${this.port}/${encodeURIComponent(database)}`;
  }

  async createDatabase(name: string): Promise<void> {
    const { rowCount } = await this.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await this.query(`CREATE DATABASE ${this.client.escapeIdentifier(name)}`);
  }

  async isDurable(): Promise<boolean> {
    const { rows } = await this.query<{ fsync: string }>('SHOW fsync');
    return rows[0]?.fsync === 'on';
  }

  /** Ends the session. @returns true if the server has no other user. @throws if the server is gone */
  async leave(): Promise<boolean> {
    this.left = true;
    await this.loggingIn.catch(() => undefined);
    return this.sayGoodbye().catch(async () => {
      // Log in again, because the session had lost its connection.
      await this.login();
      return this.sayGoodbye();
    });
  }

  private async sayGoodbye(): Promise<boolean> {
    this.socket.ref();
    const { rows } = await this.client.query<{ last: boolean }>(
      `SELECT pg_try_advisory_lock($1) AS last FROM pg_advisory_unlock_all()`,
      [USERS_LOCK],
    );
    await this.client.end();
    return rows[0]?.last ?? false;
  }

  private async login(): Promise<void> {
    ({ client: this.client, socket: this.socket } = await login(this.port, this.password));
  }

  private async query<Row extends object>(text: string, values: readonly unknown[] = []) {
    this.socket.ref();
    try {
      return await this.client.query<Row>(text, [...values]);
    } finally {
      this.socket.unref();
    }
  }

  private rest(): void {
    this.socket.unref();
    this.client.once('end', () => {
      if (!this.left) setTimeout(() => void this.reconnect(), RECONNECT_MS).unref();
    });
  }

  /** Reconnects after the server has ended every session, which it does when one of its processes is killed. */
  private async reconnect(pauseMs = RECONNECT_MS): Promise<void> {
    if (this.left) return;
    try {
      this.loggingIn = this.login();
      await this.loggingIn;
      this.rest();
    } catch (error) {
      // Only a refused connection means that the server is gone. Other failures are temporary.
      const isGone = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
      const nextMs = !isGone || (await this.isRevived()) ? RECONNECT_MS : Math.min(2 * pauseMs, MAX_PAUSE_MS);
      setTimeout(() => void this.reconnect(nextMs), nextMs).unref();
    }
  }

  private isRevived(): Promise<boolean> {
    return this.revive().then(
      () => true,
      () => false,
    );
  }
}

async function login(port: number, password: string): Promise<{ client: Client; socket: Socket }> {
  const socket = new Socket();
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: ROLE,
    password,
    database: 'postgres',
    application_name: 'passwright embedded',
    connectionTimeoutMillis: 10_000,
    stream: () => socket,
  });
  // Ignore the error, because the session handles the end of the connection.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('SELECT pg_advisory_lock_shared($1)', [USERS_LOCK]);
  return { client, socket };
}

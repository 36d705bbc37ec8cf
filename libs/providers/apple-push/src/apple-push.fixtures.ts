import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { type AppleCredential, AppleCredentials, WalletUnavailable } from '@passwright/core';
import { FakeApns, FixedClock, type TestCertificates, testCertificates } from '@passwright/testing';
import { ApnsPush } from './apns-push.js';
import type { ApnsLimits } from './apns-limits.js';

/** Certificates by account, which a test can change. */
export class CredentialsByAccount extends AppleCredentials {
  readonly accounts = new Map<string, AppleCredential>();

  constructor(private readonly others: AppleCredential | null) {
    super();
  }

  of(accountId: string): Promise<AppleCredential> {
    const credential = this.accounts.get(accountId) ?? this.others;
    return credential
      ? Promise.resolve(credential)
      : Promise.reject(new WalletUnavailable('The Apple Wallet certificate is out of date.'));
  }
}

/** A fake push service with the clients of a test. */
export class PushBench {
  readonly clock = new FixedClock('2026-11-20T10:00:00.000Z');
  private readonly pushes: ApnsPush[] = [];

  private constructor(
    readonly certificates: TestCertificates,
    readonly credential: AppleCredential,
    readonly fake: FakeApns,
  ) {}

  static async start(): Promise<PushBench> {
    Logger.overrideLogger(false);
    const certificates = testCertificates();
    const fake = await FakeApns.start({ root: certificates.rootPem });
    return new PushBench(certificates, certificates.pass(), fake);
  }

  /** @param url the push service address that the client uses */
  client(
    limits: Partial<ApnsLimits> = {},
    credentials = new CredentialsByAccount(this.credential),
    url = this.fake.url,
  ): ApnsPush {
    const push = new ApnsPush({ url, ca: this.fake.ca }, credentials, this.clock, limits);
    this.pushes.push(push);
    return push;
  }

  /** Resets the push service, which then accepts everything and has no connections. */
  async clear(): Promise<void> {
    await Promise.all(this.pushes.map((push) => push.onApplicationShutdown()));
    this.pushes.length = 0;
    this.fake.reset();
    this.fake.limitStreams(1000);
    this.fake.dropConnections();
    await until(() => this.fake.openConnections === 0);
    this.fake.pushes.length = 0;
    this.fake.mostOpenStreams = this.fake.connectionsSeen = 0;
  }
}

/** A relay in front of a server. It counts what clients send and can stop forwarding. */
export class Relay {
  /** The number of bytes that clients have sent. */
  bytes = 0;
  /** Clients that are still connected. */
  readonly clients = new Set<Socket>();
  private readonly sockets = new Set<Socket>();
  private frozen = false;

  private constructor(
    private readonly listener: Server,
    private readonly port: number,
  ) {
    listener.on('connection', (client: Socket) => this.pass(client));
  }

  static async to(url: string): Promise<Relay> {
    const listener = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new Relay(listener, Number(new URL(url).port));
  }

  get url(): string {
    return `https://127.0.0.1:${(this.listener.address() as AddressInfo).port}`;
  }

  freeze(): void {
    this.frozen = true;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.listener.close();
  }

  private pass(client: Socket): void {
    const server = connect(this.port, '127.0.0.1');
    this.clients.add(client);
    client.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      if (!this.frozen) server.write(chunk);
    });
    server.on('data', (chunk: Buffer) => this.frozen || client.write(chunk));
    client.on('end', () => {
      this.clients.delete(client);
      if (!this.frozen) client.end();
    });
    client.on('close', () => {
      this.clients.delete(client);
      server.destroy();
    });
    server.on('close', () => client.destroy());
    for (const socket of [client, server]) this.sockets.add(socket.on('error', () => undefined));
  }
}

export function newToken(): string {
  return randomBytes(32).toString('hex');
}

export function newTokens(count: number): string[] {
  return Array.from({ length: count }, newToken);
}

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

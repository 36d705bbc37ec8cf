import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { certificates, aPackage, type PackageParts, PASS_TYPE } from './pass-package.fixtures.js';
import type { PushSource } from './push-delivery.js';

export type Call = 'register' | 'unregister' | 'list' | 'pass' | 'log';

export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Breaks the connection instead of responding. */
  reset?: boolean;
}

interface IssuedPass {
  readonly token: string;
  parts: PackageParts;
  change: number;
  lastModified: Date;
  built?: Buffer;
}

/** A correct PassKit web service with optional errors. Pushes by calling listeners. */
export class ReferenceServer implements PushSource {
  /** Changes a response before it is sent. */
  alter: Partial<Record<Call, (reply: Reply, request: IncomingMessage) => Reply>> = {};
  readonly logged: string[] = [];
  /** Every request so far, as method and path. */
  readonly seen: string[] = [];
  sockets = 0;
  private readonly passes = new Map<string, IssuedPass>();
  private readonly registrations = new Map<string, { token: string; serials: Set<string> }>();
  private readonly listeners = new Set<Parameters<PushSource['onPush']>[0]>();
  private changes = 0;

  private constructor(
    private readonly server: Server,
    private readonly scheme: string,
    private readonly path: string,
  ) {}

  static async start({ path = '/wallet', tls = false } = {}): Promise<ReferenceServer> {
    const { certificatePem: cert, privateKeyPem: key } = tls
      ? certificates().server()
      : { certificatePem: '', privateKeyPem: '' };
    const handle: RequestListener = (request, response) => void service.handle(request, response);
    const server = tls ? createTlsServer({ cert, key }, handle) : createServer(handle);
    const service = new ReferenceServer(server, tls ? 'https' : 'http', path);
    server.on(tls ? 'secureConnection' : 'connection', (_: Socket) => service.sockets++);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return service;
  }

  get url(): string {
    return `${this.scheme}://localhost:${(this.server.address() as AddressInfo).port}${this.path}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  onPush(listener: Parameters<PushSource['onPush']>[0]): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Issues a pass. @returns its package */
  issue(serialNumber: string, json: Record<string, unknown> = {}): Buffer {
    const token = randomBytes(12).toString('hex');
    const parts = { json: { serialNumber, webServiceURL: this.url, authenticationToken: token, ...json } };
    this.passes.set(serialNumber, { token, parts, change: ++this.changes, lastModified: new Date(1_750_000_000_000) });
    return this.package(serialNumber);
  }

  package(serialNumber: string): Buffer {
    const pass = this.passes.get(serialNumber)!;
    return (pass.built ??= aPackage(pass.parts));
  }

  /** Changes the gate field of a pass, and notifies devices unless `push` is false. */
  change(serialNumber: string, gate: string, { push = true, json = {} } = {}): void {
    const pass = this.passes.get(serialNumber)!;
    const field = { key: 'gate', label: 'Gate', value: gate, changeMessage: 'Gate is now %@' };
    pass.parts = { json: { ...pass.parts.json, generic: { primaryFields: [field] }, ...json } };
    pass.built = undefined;
    this.bump(serialNumber);
    if (push) this.push(serialNumber);
  }

  /** Puts a pass into the list of changed passes. */
  bump(serialNumber: string): void {
    const pass = this.passes.get(serialNumber)!;
    pass.change = ++this.changes;
    pass.lastModified = new Date(pass.lastModified.getTime() + 1000);
  }

  push(serialNumber: string): void {
    for (const { token, serials } of this.registrations.values()) {
      if (serials.has(serialNumber)) for (const listener of this.listeners) listener({ token, topic: PASS_TYPE });
    }
  }

  /** Returns the push token with which a device has registered. */
  tokenOf(device: string): string | undefined {
    return this.registrations.get(device)?.token;
  }

  registered(device: string): string[] {
    return [...(this.registrations.get(device)?.serials ?? [])];
  }

  private async handle(request: IncomingMessage, response: Parameters<RequestListener>[1]): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString();
    this.seen.push(`${request.method} ${request.url}`);
    const [call, right] = this.respond(request, body);
    const reply = this.alter[call]?.(right, request) ?? right;
    if (reply.reset) {
      request.socket.destroy();
      return;
    }
    response.writeHead(reply.status, reply.headers);
    response.end(reply.body);
  }

  private respond(request: IncomingMessage, body: string): [Call, Reply] {
    const { pathname, searchParams } = new URL(request.url!, 'http://x');
    const [, root, ...parts] = pathname.slice(this.path.length).split('/').map(decodeURIComponent);
    if (root !== 'v1') return ['log', { status: 404 }];
    if (parts[0] === 'log') {
      this.logged.push(...(JSON.parse(body) as { logs: string[] }).logs);
      return ['log', { status: 200 }];
    }
    if (parts[0] === 'passes') return ['pass', this.latest(parts.slice(2).join('/'), request)];
    const [, device = '', , , ...serial] = parts;
    if (request.method === 'GET') return ['list', this.list(device, searchParams.get('passesUpdatedSince'))];
    const call = request.method === 'POST' ? 'register' : 'unregister';
    if (!this.isAuthorized(serial.join('/'), request)) return [call, { status: 401 }];
    return [
      call,
      call === 'register' ? this.register(device, serial.join('/'), body) : this.unregister(device, serial.join('/')),
    ];
  }

  private isAuthorized(serialNumber: string, { headers }: IncomingMessage): boolean {
    return headers.authorization === `ApplePass ${this.passes.get(serialNumber)?.token}`;
  }

  private register(device: string, serialNumber: string, body: string): Reply {
    const { pushToken } = JSON.parse(body) as { pushToken: string };
    const known = this.registrations.get(device) ?? { token: pushToken, serials: new Set() };
    const status = known.serials.has(serialNumber) ? 200 : 201;
    known.serials.add(serialNumber);
    this.registrations.set(device, { ...known, token: pushToken });
    return { status };
  }

  private unregister(device: string, serialNumber: string): Reply {
    this.registrations.get(device)?.serials.delete(serialNumber);
    return { status: 200 };
  }

  private list(device: string, tag: string | null): Reply {
    const serialNumbers = this.registered(device).filter(
      (serial) => this.passes.get(serial)!.change > Number(tag ?? 0),
    );
    if (serialNumbers.length === 0) return { status: 204 };
    const lastUpdated = String(Math.max(...serialNumbers.map((serial) => this.passes.get(serial)!.change)));
    return { status: 200, body: JSON.stringify({ serialNumbers, lastUpdated }) };
  }

  private latest(serialNumber: string, request: IncomingMessage): Reply {
    const pass = this.passes.get(serialNumber);
    if (!pass || !this.isAuthorized(serialNumber, request)) return { status: 401 };
    const lastModified = pass.lastModified.toUTCString();
    if (request.headers['if-modified-since'] === lastModified) return { status: 304 };
    return { status: 200, headers: { 'Last-Modified': lastModified }, body: this.package(serialNumber) };
  }
}

import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { Injectable, Module, type DynamicModule, type ExecutionContext, type LoggerService } from '@nestjs/common';
import { NestFactory, Reflector } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import {
  ACCESS,
  Clock,
  RouteAuthentication,
  Unauthorized,
  type Access,
  type AuthenticatedRequest,
} from '@passwright/core';
import { Database, DatabaseModule } from '@passwright/database';
import { FixedClock } from '@passwright/testing';
import type { NextFunction, Request, Response } from 'express';
import { DataSource } from 'typeorm';
import { applyHttpConventions } from './http-conventions.js';
import { HostController } from './host.fixtures.js';
import { HttpModule } from './http.module.js';
import type { IdentifiedRequest } from './request/request-id.js';
import { ThingsController } from './things.fixtures.js';

/** The budget for request bodies, in bytes. A single caller may use half of it. */
export const BODY_BUDGET_BYTES = 4 * 2 ** 20;

const storedResponses = { masterKeys: [{ id: 'test', key: new Uint8Array(32).fill(7) }], encrypts: true };

/** The `Authorization` headers that the guard rejects. */
export const revokedCredentials = new Set<string>();

/**
 * Accepts the header `Authorization: Bearer <account>`, which makes that account the caller. A suffix ` of <founder>`
 * names the founder, whose accounts share limits.
 */
@Injectable()
class BelievingGuard extends RouteAuthentication {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request & AuthenticatedRequest>();
    const { authorization = '' } = request.headers;
    if (revokedCredentials.has(authorization)) throw new Unauthorized('It was revoked.');
    const [, account, founder] = /^Bearer (\S+)(?: of (\S+))?/.exec(authorization) ?? [];
    request.share = founder;
    request.recheckAccess = () =>
      revokedCredentials.has(authorization) ? Promise.reject(new Unauthorized('It was revoked.')) : Promise.resolve();
    if (account) request.principal = { kind: 'apiKey', id: `key-of-${account}`, accountId: account, scopes: [] };
    const access = this.reflector.get<Access | undefined>(ACCESS, context.getHandler());
    if (access?.kind === 'caller' && !account) throw new Unauthorized('Sign in.');
    return true;
  }
}

interface Limits {
  readonly requestsPerMinute: number;
  readonly poolSize: number;
  readonly requestsAtOnce: number;
  readonly stopWithinMs: number;
}

@Module({})
class TestModule {
  static forRoot(url: string, clock: Clock, { poolSize, ...limits }: Limits): DynamicModule {
    return {
      module: TestModule,
      imports: [
        {
          module: class Surroundings {},
          global: true,
          providers: [
            { provide: Clock, useValue: clock },
            { provide: RouteAuthentication, useClass: BelievingGuard },
          ],
          exports: [Clock, RouteAuthentication],
        },
        DatabaseModule.forRoot({ url, poolSize }),
        HttpModule.forRoot({
          baseUrl: 'http://localhost',
          errorHelpUrl: 'http://localhost/errors',
          trustProxy: 1,
          ...limits,
          bodyBudgetBytes: BODY_BUDGET_BYTES,
          storedResponses,
        }),
      ],
      controllers: [ThingsController, HostController],
    };
  }
}

/** A listening app with the HTTP conventions, and access to its state. It sets the `Cache-Control` that a request asks for with `X-Cache-Control`. */
export class TestApp {
  readonly logged: unknown[] = [];
  /** The requests and responses that a middleware before the conventions has seen. */
  readonly requests: { id: unknown; status: number; route: string | undefined }[] = [];
  private constructor(
    readonly app: NestExpressApplication,
    readonly clock: FixedClock,
  ) {}

  static async start(
    url: string,
    requestsPerMinute = 0,
    clock = new FixedClock(),
    { poolSize = 10, requestsAtOnce = 100, stopWithinMs = 30_000 } = {},
  ): Promise<TestApp> {
    const module = TestModule.forRoot(url, clock, { requestsPerMinute, poolSize, requestsAtOnce, stopWithinMs });
    const app = await NestFactory.create<NestExpressApplication>(module, {
      bodyParser: false,
      logger: false,
      abortOnError: false,
    });
    const started = new TestApp(app, clock);
    app.useLogger(collecting(started.logged));
    app.use((request: Request, response: Response, next: NextFunction) => started.watch(request, response, next));
    applyHttpConventions(app);
    app.use((request: Request, response: Response, next: NextFunction) => {
      const asked = request.get('x-cache-control');
      if (asked) response.set('Cache-Control', asked);
      next();
    });
    await app.listen(0, '127.0.0.1');
    return started;
  }

  get things(): ThingsController {
    return this.app.get(ThingsController);
  }

  get database(): Database {
    return this.app.get(Database);
  }

  /** The number of connections in use. */
  get takenConnections(): number {
    type Pool = { totalCount: number; idleCount: number };
    const { totalCount, idleCount } = (this.app.get(DataSource).driver as unknown as { master: Pool }).master;
    return totalCount - idleCount;
  }

  get port(): number {
    return (this.app.getHttpServer().address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Sends raw bytes, and reads until the server closes the connection. */
  raw(bytes: string | Buffer): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1', () => socket.write(bytes));
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.on('error', reject);
      socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    });
  }

  private watch(request: Request & IdentifiedRequest, response: Response, next: NextFunction): void {
    response.once('finish', () => {
      const route = request.route as { path: string } | undefined;
      this.requests.push({ id: request.id, status: response.statusCode, route: route?.path });
    });
    next();
  }

  async stop(): Promise<void> {
    await this.app.close();
  }
}

function collecting(logged: unknown[]): LoggerService {
  const collect = (message: unknown) => void logged.push(message);
  return { log: () => undefined, error: collect, warn: collect };
}

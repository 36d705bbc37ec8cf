import { randomBytes, randomUUID } from 'node:crypto';
import {
  Catch,
  Controller,
  Get,
  Module,
  type ArgumentsHost,
  type CallHandler,
  type DynamicModule,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import {
  AppError,
  bodyValidation,
  Caller,
  Clock,
  ClockModule,
  errorBody,
  Mailer,
  Public,
  RequireScope,
  RequireUser,
  RouteConventions,
  Tagged,
  type Principal,
} from '@passwright/core';
import { DatabaseModule } from '@passwright/database';
import { JobsModule } from '@passwright/jobs';
import { FixedClock, lockWaitsSql, RecordingMailer, testDatabase } from '@passwright/testing';
import type { Response } from 'express';
import { map } from 'rxjs';
import request from 'supertest';
import { DataSource, type EntityManager } from 'typeorm';
import { AccountsModule } from './accounts.module.js';
import type { AccountsOptions } from './accounts.options.js';
import { AuthGuard } from './auth/auth.guard.js';
import { SelfServiceModule } from './self-service.module.js';
import type { SelfServiceOptions } from './self-service.options.js';

/** The options of `AccountsModule` and `SelfServiceModule` together. */
type NodeOptions = AccountsOptions & SelfServiceOptions;

/** The master keys of all test nodes, so that each node can read personal data that another node wrote. */
export const masterKeys = [{ id: 'test', key: new Uint8Array(32).fill(7) }];

/** Returns the options of a test node, overridden by `changes`. */
export function accountsOptions(changes: Partial<NodeOptions> = {}): NodeOptions {
  return {
    baseUrl: 'https://passes.example.com',
    accessTokenSecret: 'a secret for tests that has more than 32 characters',
    registration: 'open',
    accessTokenTtlSeconds: 900,
    refreshTokenTtlSeconds: 2_592_000,
    ...changes,
  };
}

/** Returns an IP address that no other test uses, because the service counts attempts per address. */
export function anAddress(): string {
  return [10, ...randomBytes(3)].join('.');
}

/** One route for each access rule, and one route without a rule. */
@Controller('routes')
class SampleRoutes {
  @Get('public')
  @Public()
  public(): { ok: true } {
    return { ok: true };
  }

  @Get('user')
  @RequireUser()
  user(@Caller() caller: Principal): Principal {
    return caller;
  }

  @Get('passes')
  @RequireScope('passes:read')
  passes(@Caller() caller: Principal): Principal {
    return caller;
  }

  @Get('undeclared')
  undeclared(): { ok: true } {
    return { ok: true };
  }
}

@Catch(AppError)
class BodyOfErrors implements ExceptionFilter {
  catch(error: AppError, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<Response>().status(error.statusCode).set(error.headers).json(errorBody(error));
  }
}

/** Sends only the body of a `Tagged` result, without its ETag. */
class BodyOfTagged implements NestInterceptor {
  intercept(_: ExecutionContext, next: CallHandler) {
    return next
      .handle()
      .pipe(map((response: unknown) => (response instanceof Tagged ? (response.body as object) : response)));
  }
}

/**
 * Replaces the conventions of the http lib, which these specs do not load. The test app applies its own guard and pipe
 * to every route.
 */
const withoutConventions: RouteConventions = {
  guard: { canActivate: () => true },
  filter: {
    catch: (error: unknown, host) => {
      if (!(error instanceof AppError)) throw error;
      new BodyOfErrors().catch(error, host);
    },
  },
  body: { read: () => null },
  keys: { intercept: (_, next) => next.handle() },
};

/** Optional parts of a test node. */
export interface NodeParts {
  readonly more?: readonly DynamicModule[];
  readonly mailer?: RecordingMailer;
  /** True if the node runs jobs. */
  readonly run?: boolean;
}

@Module({})
class TestApp {
  static forRoot(url: string, options: NodeOptions, { more = [], mailer, run = false }: NodeParts): DynamicModule {
    class Surroundings {}
    const providers = [
      { provide: Mailer, useValue: mailer },
      { provide: RouteConventions, useValue: withoutConventions },
    ];
    return {
      module: TestApp,
      imports: [
        ClockModule,
        DatabaseModule.forRoot({ url, poolSize: 10 }),
        JobsModule.forRoot({ url, run }),
        { module: Surroundings, global: true, providers, exports: [Mailer, RouteConventions] },
        AccountsModule.forRoot(options),
        SelfServiceModule.forRoot(options),
        ...more,
      ],
      controllers: [SampleRoutes],
      providers: [
        { provide: APP_GUARD, useExisting: AuthGuard },
        { provide: APP_FILTER, useClass: BodyOfErrors },
        { provide: APP_INTERCEPTOR, useClass: BodyOfTagged },
        { provide: APP_PIPE, useValue: bodyValidation },
      ],
    };
  }
}

/** The caller, body and source address of a request. */
export interface Call {
  readonly token?: string;
  readonly body?: object;
  readonly from?: string;
}

/** A test node that contains only the accounts package. It uses the database of the current Jest worker. */
export class AccountsNode {
  private constructor(
    readonly app: NestExpressApplication,
    readonly clock: FixedClock,
    readonly mailer: RecordingMailer,
  ) {}

  static async start(changes: Partial<NodeOptions> = {}, parts: NodeParts = {}): Promise<AccountsNode> {
    const { mailer = new RecordingMailer() } = parts;
    const { url } = await testDatabase();
    const clock = new FixedClock();
    const testing = Test.createTestingModule({
      imports: [TestApp.forRoot(url, accountsOptions(changes), { ...parts, mailer })],
    });
    const module = await testing.overrideProvider(Clock).useValue(clock).compile();
    const app = module.createNestApplication<NestExpressApplication>({ logger: false });
    app.set('trust proxy', true);
    await app.listen(0, '127.0.0.1');
    return new AccountsNode(app, clock, mailer);
  }

  async stop(): Promise<void> {
    await this.app.close();
  }

  call(
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: string,
    { token, body, from = anAddress() }: Call = {},
  ) {
    const call = request(this.app.getHttpServer())[method](path).set('X-Forwarded-For', from);
    if (token) call.set('Authorization', `Bearer ${token}`);
    return body ? call.send(body) : call;
  }

  /**
   * Runs `act` while a transaction is open. First the transaction runs `before`. Once `act` waits for a lock or has
   * ended, the transaction runs `after` and commits.
   * @returns the result of `act`
   */
  async during<T>(
    before: (tx: EntityManager) => Promise<unknown>,
    act: () => PromiseLike<T>,
    after: (tx: EntityManager) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<T> {
    const source = this.app.get(DataSource);
    let acting: Promise<T> | undefined;
    await source.transaction(async (tx) => {
      await before(tx);
      let isOver = false;
      acting = Promise.resolve(act());
      const over = () => (isOver = true);
      acting.then(over, over);
      while (!isOver && (await source.query<unknown[]>(lockWaitsSql)).length === 0);
      await after(tx);
    });
    return acting as Promise<T>;
  }

  /** Registers a new user, who is the admin of a new account. */
  async register(changes: object = {}): Promise<Registered> {
    const body = {
      email: `${randomUUID()}@example.com`,
      password: 'correct horse battery staple',
      name: 'Ada Lovelace',
      accountName: 'Analytical Engines',
      ...changes,
    };
    const response = await this.call('post', '/v1/auth/register', { body });
    if (response.status !== 201) throw new Error(`register responded with ${response.status}: ${response.text}`);
    return { ...body, ...response.body };
  }

  /** Creates an API key in the user's account. */
  async createKey({ accessToken: token }: Registered, body: object = {}): Promise<{ id: string; key: string }> {
    const response = await this.call('post', '/v1/auth/keys', { token, body: { name: 'Shop', ...body } });
    if (response.status !== 201) throw new Error(`create responded with ${response.status}: ${response.text}`);
    return response.body;
  }
}

/** The request and the response of a registration. */
export interface Registered {
  email: string;
  password: string;
  accountId: string;
  accessToken: string;
  refreshToken: string;
}

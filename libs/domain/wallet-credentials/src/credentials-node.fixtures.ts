import { randomBytes, randomUUID } from 'node:crypto';
import { Module, type DynamicModule } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { AccountsModule, SelfServiceModule } from '@passwright/accounts';
import { Clock, ClockModule, Mailer } from '@passwright/core';
import { DatabaseModule } from '@passwright/database';
import { JobsModule } from '@passwright/jobs';
import { applyHttpConventions, HttpModule } from '@passwright/http';
import { FixedClock, RecordingMailer, testDatabase } from '@passwright/testing';
import request from 'supertest';

/** The parts of a test node in addition to accounts. */
export interface NodeParts {
  readonly more: readonly DynamicModule[];
  readonly mailer?: RecordingMailer;
  /** True if the node runs jobs. */
  readonly run?: boolean;
}

/** The credential and the body of a call. */
export interface Call {
  readonly token?: string;
  readonly body?: object;
}

/** A registered user, with its password and token. */
export interface Registered {
  email: string;
  password: string;
  accountId: string;
  accessToken: string;
}

@Module({})
class TestApp {
  static forRoot(url: string, { more, mailer, run = false }: NodeParts): DynamicModule {
    class Mails {}
    return {
      module: TestApp,
      imports: [
        ClockModule,
        DatabaseModule.forRoot({ url, poolSize: 10 }),
        JobsModule.forRoot({ url, run }),
        HttpModule.forRoot({ baseUrl: 'https://passes.example.com', trustProxy: 1, requestsPerMinute: 0 }),
        { module: Mails, global: true, providers: [{ provide: Mailer, useValue: mailer }], exports: [Mailer] },
        AccountsModule.forRoot({
          accessTokenSecret: 'a secret for tests that has more than 32 characters',
          accessTokenTtlSeconds: 900,
          refreshTokenTtlSeconds: 2_592_000,
        }),
        SelfServiceModule.forRoot({ baseUrl: 'https://passes.example.com', registration: 'open' }),
        ...more,
      ],
    };
  }
}

/** A node of the service with accounts and their credentials, on the database of this test worker. */
export class CredentialsNode {
  private constructor(
    readonly app: NestExpressApplication,
    readonly clock: FixedClock,
  ) {}

  static async start(parts: NodeParts): Promise<CredentialsNode> {
    const { url } = await testDatabase();
    const clock = new FixedClock();
    const imports = [TestApp.forRoot(url, { mailer: new RecordingMailer(), ...parts })];
    const module = await Test.createTestingModule({ imports }).overrideProvider(Clock).useValue(clock).compile();
    const app = module.createNestApplication<NestExpressApplication>({ logger: false, bodyParser: false });
    applyHttpConventions(app);
    await app.listen(0, '127.0.0.1');
    return new CredentialsNode(app, clock);
  }

  async stop(): Promise<void> {
    await this.app.close();
  }

  /** Sends a request from an IP address that no other test uses, so that rate limits do not add up. */
  call(method: 'get' | 'post' | 'put' | 'patch' | 'delete', path: string, { token, body }: Call = {}) {
    const from = [10, ...randomBytes(3)].join('.');
    const call = request(this.app.getHttpServer())[method](path).set('X-Forwarded-For', from);
    if (token) call.set('Authorization', `Bearer ${token}`);
    return body ? call.send(body) : call;
  }

  /** Registers a new user, the admin of a new account. */
  async register(changes: object = {}): Promise<Registered> {
    const body = {
      email: `${randomUUID()}@example.com`,
      password: 'correct horse battery staple',
      name: 'Ada Lovelace',
      accountName: 'Analytical Engines',
      ...changes,
    };
    const response = await this.call('post', '/v1/auth/register', { body });
    if (response.status !== 201) throw new Error(`register returned ${response.status}: ${response.text}`);
    return { ...body, ...response.body };
  }

  /** Creates an API key of the user's account. */
  async createKey({ accessToken: token }: Registered, body: object = {}): Promise<{ id: string; key: string }> {
    const response = await this.call('post', '/v1/auth/keys', { token, body: { name: 'Shop', ...body } });
    if (response.status !== 201) throw new Error(`create returned ${response.status}: ${response.text}`);
    return response.body;
  }
}

import { randomUUID } from 'node:crypto';
import {
  type CanActivate,
  type DynamicModule,
  type ExecutionContext,
  Module,
  type ValueProvider,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { AccountsModule, PersonalData } from '@passwright/accounts';
import { BillingModule } from '@passwright/billing';
import {
  ACCESS,
  type Access,
  type AuthenticatedRequest,
  BlobStorage,
  Clock,
  scopes,
  Signer,
  Unauthorized,
} from '@passwright/core';
import { Database, DatabaseModule } from '@passwright/database';
import { JobsModule } from '@passwright/jobs';
import { applyHttpConventions, HttpModule } from '@passwright/http';
import { ImagesModule, ImagesService, type PreparedImage } from '@passwright/images';
import { Template, TemplatesModule, TemplatesService } from '@passwright/templates';
import { drawImagesOnce, FixedClock, MemoryStorage, testDatabase } from '@passwright/testing';
import type { RenderType } from '@passwright/wallet-renderers';
import sharp from 'sharp';
import request from 'supertest';
import { aTemplate } from './content/pass.fixtures.js';
import { PassesModule } from './passes.module.js';
import { ReplaceableSigner } from './replaceable-signer.fixtures.js';

drawImagesOnce(sharp);

export const baseUrl = 'http://passes.example';

/** Authenticates a request as the account that it names. Requests without an account reach only public routes. */
class NamedAccountGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp().getRequest<AuthenticatedRequest & { headers: Record<string, string> }>();
    const accountId = http.headers.authorization;
    if (accountId) http.principal = { kind: 'apiKey', id: accountId, accountId, scopes };
    const access = Reflect.getMetadata(ACCESS, context.getHandler()) as Access;
    if (!accountId && access.kind !== 'public') throw new Unauthorized('Name an account.');
    return true;
  }
}

/** The lib's routes on a real database, with fakes for external services. */
export class TestApp {
  readonly clock = new FixedClock('2026-11-20T10:00:00.000Z');
  readonly storage = new MemoryStorage();
  readonly signer = new ReplaceableSigner();
  /** Fakes for modules of a lib that depends on this one. */
  protected readonly fakes: readonly ValueProvider<object>[] = [];
  /** Modules of libs that depend on this one. */
  protected readonly modules: readonly DynamicModule[] = [];
  private app!: NestExpressApplication;

  static async start<App extends TestApp>(this: new () => App): Promise<App> {
    const testApp = new this();
    const { url } = await testDatabase();
    const providers = [
      { provide: Clock, useValue: testApp.clock },
      { provide: BlobStorage, useValue: testApp.storage },
      { provide: Signer, useValue: testApp.signer },
      ...testApp.fakes,
    ];
    @Module({})
    class ProvidersModule {}
    const module = await Test.createTestingModule({
      imports: [
        { module: ProvidersModule, global: true, providers, exports: providers.map(({ provide }) => provide) },
        DatabaseModule.forRoot({ url, poolSize: 20 }),
        JobsModule.forRoot({ url, run: false }),
        HttpModule.forRoot({ baseUrl, trustProxy: 0, requestsPerMinute: 0 }),
        AccountsModule.forRoot({
          accessTokenSecret: 'x'.repeat(32),
          accessTokenTtlSeconds: 900,
          refreshTokenTtlSeconds: 900,
          personalData: { masterKeys: [{ id: 'test', key: new Uint8Array(32).fill(7) }], encrypts: true },
        }),
        BillingModule.forRoot({}),
        ImagesModule.forRoot({ baseUrl, imageHostsAllowed: [] }),
        TemplatesModule.forRoot({ baseUrl }),
        PassesModule.forRoot({ baseUrl }),
        ...testApp.modules,
      ],
      providers: [{ provide: APP_GUARD, useClass: NamedAccountGuard }],
    }).compile();
    testApp.app = module.createNestApplication<NestExpressApplication>({ bodyParser: false });
    applyHttpConventions(testApp.app);
    await testApp.app.listen(0, '127.0.0.1');
    return testApp;
  }

  stop(): Promise<void> {
    return this.app.close();
  }

  get<T>(token: abstract new (...args: never[]) => T): T {
    return this.app.get<T>(token);
  }

  /** Sends a GET request without an account, as an anonymous visitor does. */
  visit(path: string): request.Test {
    return request(this.app.getHttpServer()).get(path);
  }

  head(path: string): request.Test {
    return request(this.app.getHttpServer()).head(path);
  }

  /** Returns the URL at which the app listens. */
  url(): Promise<string> {
    return this.app.getUrl();
  }

  /** Builds a request without adding an account. */
  request(method: 'get' | 'head' | 'post' | 'put' | 'delete', path: string): request.Test {
    return request(this.app.getHttpServer())[method](path);
  }

  /**
   * Creates an account and returns a client for it.
   * @param id the account's id. The default id does not have the service's own format, so serial numbers do not contain
   * it, like those of earlier versions
   */
  async account(id = `acc_${randomUUID()}`): Promise<TestAccount> {
    const { reads } = this.get(Database);
    await reads.query('INSERT INTO account (id, name, created_at) VALUES ($1, $1, $2)', [id, this.clock.now()]);
    await this.get(PersonalData).create(reads, id);
    return new TestAccount(this, id);
  }

  /** Returns the address of an image that the service itself serves. */
  async imageUrl(accountId: string, background: string): Promise<string> {
    const create = { width: 200, height: 200, channels: 3 as const, background };
    const bytes = await sharp({ create }).png().toBuffer();
    return this.get(ImagesService).store(accountId, bytes, 'image');
  }

  send(method: 'get' | 'post' | 'patch' | 'delete', path: string, accountId: string): request.Test {
    return request(this.app.getHttpServer())[method](path).set('Authorization', accountId);
  }
}

/** Sends requests as one account. */
export class TestAccount {
  constructor(
    private readonly app: TestApp,
    readonly id: string,
  ) {}

  get = (path: string) => this.app.send('get', `/v1/pass/${path}`, this.id);
  post = (path: string, body?: object) => this.app.send('post', `/v1/pass/${path}`, this.id).send(body);
  patch = (path: string, body: object) => this.app.send('patch', `/v1/pass/${path}`, this.id).send(body);
  delete = (path: string) => this.app.send('delete', `/v1/pass/${path}`, this.id);

  /** Saves a template of a type, with small images; `changes` replaces columns. */
  async template(type: RenderType, changes: Partial<Template> = {}): Promise<Template> {
    const images = await this.images(type);
    const template = aTemplate(type, { accountId: this.id, id: type, images, ...changes });
    await this.app.get(Database).reads.insert(Template, template);
    return template;
  }

  archive(templateId: string): Promise<Template> {
    return this.app.get(TemplatesService).archive(this.id, templateId);
  }

  unarchive(templateId: string): Promise<Template> {
    return this.app.get(TemplatesService).unarchive(this.id, templateId);
  }

  /**
   * Expects the same error for each missing pass, template and account, and for odd ids. The account must have issued
   * the pass `offer/ada`.
   * @param pathOf returns the path to visit for `<account>/<template>/<pass>`
   */
  async expectNoPasses(pathOf: (address: string) => string): Promise<void> {
    const other = await this.app.account();
    const missing = [`${this.id}/offer/bob`, `${this.id}/none/ada`, `${other.id}/offer/ada`, 'acc_none/offer/ada'];
    const odd = [`${this.id}/offer/a%2Fb`, `${this.id}/${'x'.repeat(2000)}/ada`, '%F0%9F%8E%89/a/b', 'bundle/a/b'];
    for (const address of [...missing, ...odd]) {
      const { status, body, headers } = await this.app.visit(pathOf(address));
      const [, templateId = '', passId = ''] = address.split('/').map((id) => decodeURIComponent(id).slice(0, 64));
      expect({ status, body, type: headers['content-type'] }).toEqual({
        status: 404,
        type: expect.stringMatching(/^application\/json/),
        body: {
          statusCode: 404,
          code: 'pass_not_found',
          error: 'Not Found',
          message: `There is no pass "${passId}" of a template "${templateId}"; check both ids.`,
        },
      });
    }
  }

  private async images(type: RenderType): Promise<Template['images']> {
    const url = await this.app.imageUrl(this.id, '#336699');
    const prepare = (purpose: 'icon' | 'logo' | 'thumbnail'): Promise<PreparedImage> =>
      this.app.get(ImagesService).prepare(this.id, url, purpose, type, purpose);
    const [icon, logo] = await Promise.all([prepare('icon'), prepare('logo')]);
    return { icon, logo, ...(type === 'generic' && { thumbnail: await prepare('thumbnail') }) };
  }
}

import { Global, Injectable, Module, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test, type TestingModule } from '@nestjs/testing';
import { AccountsModule, AccountsService } from '@passwright/accounts';
import { BillingModule } from '@passwright/billing';
import {
  BlobStorage,
  bodyValidation,
  Clock,
  Listens,
  scopes,
  type AuthenticatedRequest,
  type Principal,
} from '@passwright/core';
import { Database, DatabaseModule } from '@passwright/database';
import { JobsModule } from '@passwright/jobs';
import { applyHttpConventions, HttpModule } from '@passwright/http';
import { ImagesModule } from '@passwright/images';
import { drawImagesOnce, FixedClock, MemoryStorage, testDatabase } from '@passwright/testing';
import sharp from 'sharp';
import type { EntityManager } from 'typeorm';
import { templateExamples } from './templates/template-examples.js';
import { templateRequests, type TemplateRequest } from './templates/template.dto.js';
import { TemplateListener } from './templates/template.listener.js';
import { TemplatesModule } from './templates.module.js';

const baseUrl = 'http://localhost:3000';

// Cache drawn images, because these specs do not test drawing. image-codec.spec.ts tests it, without this cache.
drawImagesOnce(sharp);

type Type = keyof typeof templateRequests;

@Global()
@Module({
  providers: [
    { provide: Clock, useValue: new FixedClock() },
    { provide: BlobStorage, useValue: new MemoryStorage() },
  ],
  exports: [Clock, BlobStorage],
})
class Providers {}

/** Trusts the principal in the headers of a test: `as(principal)`. */
class TrustingGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context
      .switchToHttp()
      .getRequest<AuthenticatedRequest & { headers: Record<string, string | undefined> }>();
    const principal = request.headers['x-principal'];
    if (principal) request.principal = JSON.parse(principal) as Principal;
    return true;
  }
}

/** Stands in for the passes lib, which these specs do not load. */
@Listens(TemplateListener)
@Injectable()
class TestPasses extends TemplateListener {
  constructor(private readonly database: Database) {
    super();
  }

  override async hasPasses(accountId: string, templateId: string, tx?: EntityManager): Promise<boolean> {
    const sql = 'SELECT FROM pass WHERE account_id = $1 AND template_id = $2';
    return (await (tx ?? this.database.reads).query<unknown[]>(sql, [accountId, templateId])).length > 0;
  }

  override async lastPassUpdate(tx: EntityManager, accountId: string, templateId: string): Promise<Date | null> {
    const sql = 'SELECT max(updated_at) AS at FROM pass WHERE account_id = $1 AND template_id = $2';
    const [row] = await tx.query<{ at: Date | null }[]>(sql, [accountId, templateId]);
    return row?.at ?? null;
  }
}

/** Creates the templates lib with a real database, in-memory storage and a fixed clock. */
export async function templatesModule(): Promise<TestingModule> {
  const { url } = await testDatabase();
  return Test.createTestingModule({
    imports: [
      Providers,
      DatabaseModule.forRoot({ url, poolSize: 8 }),
      JobsModule.forRoot({ url, run: false }),
      HttpModule.forRoot({ baseUrl, trustProxy: 0, requestsPerMinute: 0 }),
      AccountsModule.forRoot({
        accessTokenSecret: 'x'.repeat(32),
        accessTokenTtlSeconds: 900,
        refreshTokenTtlSeconds: 3600,
      }),
      BillingModule.forRoot({ routes: false }),
      ImagesModule.forRoot({ baseUrl, imageHostsAllowed: ['localhost'] }),
      TemplatesModule.forRoot({ baseUrl }),
    ],
    providers: [{ provide: APP_GUARD, useClass: TrustingGuard }, TestPasses],
  }).compile();
}

/** Creates an app with the module of `templatesModule` and an HTTP server. */
export async function templatesApp(): Promise<NestExpressApplication> {
  const module = await templatesModule();
  const app = module.createNestApplication<NestExpressApplication>({ bodyParser: false });
  applyHttpConventions(app);
  return app.init();
}

export async function anAccount(module: Pick<TestingModule, 'get'>): Promise<string> {
  const { id } = await module
    .get(Database)
    .transaction((tx) => module.get(AccountsService).create(tx, { name: 'Test' }));
  return id;
}

/** Creates a user who is a member of these accounts and of no other. */
export async function aMember(module: Pick<TestingModule, 'get'>, ...accountIds: string[]): Promise<Principal> {
  const uid = `usr_${accountIds.join('_')}`;
  await module.get(Database).transaction(async (tx) => {
    const row = [uid, `${uid}@example.com`, 'Test', 'none', new Date()];
    await tx.query(
      'INSERT INTO app_user (uid, email, name, password_hash, created_at) VALUES ($1, $2, $3, $4, $5)',
      row,
    );
    for (const id of accountIds) await module.get(AccountsService).addMember(tx, id, uid, { isAdmin: false });
  });
  return { kind: 'user', id: uid, accountId: accountIds[0] ?? '', scopes };
}

/** Returns headers with which the trusting guard accepts the principal. */
export function as(principal: Partial<Principal>): { 'x-principal': string } {
  return { 'x-principal': JSON.stringify({ kind: 'apiKey', id: 'key', scopes, ...principal }) };
}

/**
 * Returns a valid request, as the validation pipe returns it. `changes` replaces properties; a property that is
 * undefined in it is removed.
 */
export async function aRequest(type: Type = 'offer', changes: Record<string, unknown> = {}): Promise<TemplateRequest> {
  const body: unknown = JSON.parse(JSON.stringify({ ...templateExamples[type].value, ...changes }));
  return (await bodyValidation.transform(body, { type: 'body', metatype: templateRequests[type] })) as TemplateRequest;
}

/** Inserts a row into the pass table with only the required columns. */
export async function aPassOf(module: Pick<TestingModule, 'get'>, accountId: string, templateId: string, type: Type) {
  const values = [accountId, templateId, type, '2026-01-01T00:00:00Z'];
  await module.get(Database).transaction((tx) =>
    tx.query(
      `INSERT INTO pass (account_id, template_id, template_type, id, serial_number, code, fields, back_fields, locations,
        metadata, version, created_at, updated_at)
      VALUES ($1, $2, $3, 'p', 'serial', 'code', '[]', '[]', '[]', '{}', 1, $4, $4)`,
      values,
    ),
  );
}

import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import {
  BadRequestException,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Injectable,
  Module,
  NotFoundException,
  Param,
  Post,
  Put,
  Query,
  Req,
  Res,
  UploadedFile,
  UseInterceptors,
  type CanActivate,
  type DynamicModule,
  type ExecutionContext,
  type LoggerService,
} from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { FileInterceptor, type NestExpressApplication } from '@nestjs/platform-express';
import {
  Clock,
  Forbidden,
  JsonObject,
  ListOf,
  NumberIn,
  PageQuery,
  Public,
  randomId,
  SecretAnswer,
  Tagged,
  TakesBytes,
  Text,
  Unauthorized,
  ValidationFailed,
  WalletUnavailable,
  type AuthenticatedRequest,
} from '@passwright/core';
import { Database, DatabaseModule } from '@passwright/database';
import { FixedClock } from '@passwright/testing';
import type { NextFunction, Request, Response } from 'express';
import { DataSource } from 'typeorm';
import { applyHttpConventions } from './http-conventions.js';
import { HttpModule } from './http.module.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import type { IdentifiedRequest } from './request/request-id.js';

class Part {
  @Text({ description: 'label', max: 50 })
  label!: string;
}

class Thing {
  @Text({ description: 'name', max: 50, multiline: true })
  name!: string;

  @NumberIn({ description: 'weight', min: 0, max: 10, optional: true })
  weight?: number;

  @ListOf(() => Part, { description: 'parts', max: 5, optional: true })
  parts?: Part[];

  @JsonObject({ description: 'data', maxLength: 5000, optional: true })
  data?: Record<string, unknown>;
}

/** `Authorization: Bearer <account>` is believed. */
@Injectable()
class BelievingGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request & AuthenticatedRequest>();
    const account = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (account) request.principal = { kind: 'apiKey', id: `key-of-${account}`, accountId: account, scopes: [] };
    return true;
  }
}

/** Counts what it did, and does what the request asks for. */
@Controller('v1')
export class ThingsController {
  runs = 0;
  writes = 0;
  failNext: Error | null = null;
  /** What a run waits for before it writes. */
  gateBeforeWriting: Promise<void> = Promise.resolve();
  /** What a run waits for before it answers. */
  gate: Promise<void> = Promise.resolve();

  constructor(private readonly database: Database) {}

  @Post('things')
  async create(@Body() thing: Thing): Promise<object> {
    this.runs++;
    await this.gateBeforeWriting;
    const id = await this.insert(thing.name);
    await this.gate;
    this.failIfAsked();
    return { id, run: this.runs, name: thing.name };
  }

  @Post('pairs')
  async createTwo(@Body() thing: Thing): Promise<object> {
    this.runs++;
    const ids = await Promise.all([this.insert(thing.name), this.insert(thing.name)]);
    this.failIfAsked();
    return { ids };
  }

  /** Writes nothing. */
  @Put('things/:id')
  async replace(@Param('id') id: string, @Body() thing: Thing): Promise<Tagged<object>> {
    this.runs++;
    await this.gateBeforeWriting;
    this.failIfAsked();
    const version = randomId();
    return new Tagged({ id, version, ...thing }, `"${version}"`);
  }

  @Delete('things/:id')
  @HttpCode(204)
  remove(@Param('id') id: string): void {
    this.runs++;
    if (id === 'forbidden') throw new Forbidden('This thing stays.');
  }

  @Get('things')
  list(@Query() query: PageQuery): object {
    return { ...query };
  }

  @Get('things/:id')
  read(@Param('id') id: string): Tagged<object> {
    return new Tagged({ id }, '"v7"');
  }

  @Post('secrets')
  @SecretAnswer()
  secret(): object {
    return { run: ++this.runs };
  }

  @Post('files')
  @UseInterceptors(FileInterceptor('file', { limits: { fileSize: 1000 } }))
  upload(@UploadedFile() file?: { size: number }): object {
    return { size: file?.size ?? null, run: ++this.runs };
  }

  @Post('actions')
  @HttpCode(200)
  act(): object {
    return { run: ++this.runs };
  }

  @Post('bytes/:id/all')
  @TakesBytes(2048)
  @HttpCode(200)
  bytes(@Req() request: Request): object {
    return { text: (request.body as Buffer).toString(), run: ++this.runs };
  }

  @Get('failures/:kind')
  fail(@Param('kind') kind: string, @Res({ passthrough: true }) response: Response): void {
    response.set({ ETag: '"half"', 'Cache-Control': 'immutable' });
    throw failures[kind] ?? new Error('SELECT secret FROM /etc/passwd');
  }

  @Get('broken')
  breakOff(@Req() _request: Request, @Res() response: Response): void {
    response.write('half an answer');
    throw new Error('in the middle');
  }

  @Get('circular')
  circular(): object {
    const value: Record<string, unknown> = {};
    value.itself = value;
    return value;
  }

  @Get('casts/:text')
  async cast(@Param('text') text: string): Promise<void> {
    await this.database.reads.query('SELECT $1::timestamptz', [text]);
  }

  @Get('probe')
  @Public({ unlimited: true })
  probe(): object {
    return {};
  }

  private async insert(name: string): Promise<string> {
    const id = `acc_${randomId()}`;
    await this.database.transaction((tx) =>
      tx.query('INSERT INTO account (id, name, created_at) VALUES ($1, $2, now())', [id, name]),
    );
    this.writes++;
    return id;
  }

  private failIfAsked(): void {
    const failure = this.failNext;
    this.failNext = null;
    if (failure) throw failure;
  }
}

const failures: Record<string, Error> = {
  validation: new ValidationFailed('x must be y'),
  unauthorized: new Unauthorized('Sign in.'),
  unavailable: new WalletUnavailable('The certificate has expired.'),
  framework: new BadRequestException(['a is wrong', 'b is wrong']),
  missing: new NotFoundException('No such row'),
  exposed: Object.assign(new Error('teapot'), { status: 418, expose: true }),
  hidden: Object.assign(new Error('SELECT secret'), { status: 418, expose: false }),
  empty: Object.assign(new Error(), { status: 'x' }),
};

@Module({})
class TestModule {
  static forRoot(url: string, clock: Clock, requestsPerMinute: number, poolSize: number): DynamicModule {
    return {
      module: TestModule,
      imports: [
        {
          module: class ClockOfTest {},
          global: true,
          providers: [{ provide: Clock, useValue: clock }],
          exports: [Clock],
        },
        DatabaseModule.forRoot({ url, poolSize }),
        HttpModule.forRoot({ baseUrl: 'http://localhost', trustProxy: 1, requestsPerMinute }),
      ],
      controllers: [ThingsController],
      providers: [
        { provide: APP_GUARD, useClass: BelievingGuard },
        { provide: APP_GUARD, useExisting: RateLimitGuard },
      ],
    };
  }
}

/** A listening app with the conventions, and a handle on what it does. */
export class TestApp {
  readonly logged: unknown[] = [];
  /** What a middleware before the conventions knew of each request when it was answered. */
  readonly requests: { id: unknown; status: number; route: string | undefined }[] = [];
  private constructor(
    readonly app: NestExpressApplication,
    readonly clock: FixedClock,
  ) {}

  static async start(url: string, requestsPerMinute = 0, clock = new FixedClock(), poolSize = 10): Promise<TestApp> {
    const module = TestModule.forRoot(url, clock, requestsPerMinute, poolSize);
    const app = await NestFactory.create<NestExpressApplication>(module, {
      bodyParser: false,
      logger: false,
      abortOnError: false,
    });
    const started = new TestApp(app, clock);
    app.useLogger(collecting(started.logged));
    app.use((request: Request, response: Response, next: NextFunction) => started.watch(request, response, next));
    applyHttpConventions(app);
    await app.listen(0, '127.0.0.1');
    return started;
  }

  get things(): ThingsController {
    return this.app.get(ThingsController);
  }

  get database(): Database {
    return this.app.get(Database);
  }

  /** Connections that are in use. */
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

  /** Sends bytes as they are, and reads until the server closes the connection. */
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

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
  randomId,
  SecretAnswer,
  Tagged,
  Text,
  Unauthorized,
  ValidationFailed,
  WalletUnavailable,
  type AuthenticatedRequest,
} from '@passwright/core';
import { Database, DatabaseModule } from '@passwright/database';
import { FixedClock } from '@passwright/testing';
import type { Request, Response } from 'express';
import { applyHttpConventions } from './http-conventions.js';
import { HttpModule } from './http.module.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';

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
  failNext: Error | null = null;
  /** What a run waits for before it answers. */
  gate: Promise<void> = Promise.resolve();

  constructor(private readonly database: Database) {}

  @Post('things')
  async create(@Body() thing: Thing): Promise<object> {
    this.runs++;
    const id = `acc_${randomId()}`;
    await this.database.transaction((tx) => insertAccount(tx.query.bind(tx), id, thing.name));
    await this.gate;
    const failure = this.failNext;
    this.failNext = null;
    if (failure) throw failure;
    return { id, run: this.runs, name: thing.name };
  }

  @Put('things/:id')
  replace(@Param('id') id: string, @Body() thing: Thing): Tagged<object> {
    this.runs++;
    return new Tagged({ id, run: this.runs, ...thing }, `"v${this.runs}"`);
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

async function insertAccount(query: (sql: string, values: unknown[]) => Promise<unknown>, id: string, name: string) {
  await query('INSERT INTO account (id, name, created_at) VALUES ($1, $2, now())', [id, name]);
}

@Module({})
class TestModule {
  static forRoot(url: string, clock: Clock, requestsPerMinute: number): DynamicModule {
    return {
      module: TestModule,
      imports: [
        {
          module: class ClockOfTest {},
          global: true,
          providers: [{ provide: Clock, useValue: clock }],
          exports: [Clock],
        },
        DatabaseModule.forRoot({ url, poolSize: 10 }),
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
  private constructor(
    readonly app: NestExpressApplication,
    readonly clock: FixedClock,
  ) {}

  static async start(url: string, requestsPerMinute = 0, clock = new FixedClock()): Promise<TestApp> {
    const app = await NestFactory.create<NestExpressApplication>(TestModule.forRoot(url, clock, requestsPerMinute), {
      bodyParser: false,
      logger: false,
      abortOnError: false,
    });
    const started = new TestApp(app, clock);
    app.useLogger(collecting(started.logged));
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

  async stop(): Promise<void> {
    await this.app.close();
  }
}

function collecting(logged: unknown[]): LoggerService {
  const collect = (message: unknown) => void logged.push(message);
  return { log: () => undefined, error: collect, warn: collect };
}

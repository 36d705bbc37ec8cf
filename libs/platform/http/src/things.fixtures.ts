import {
  BadRequestException,
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  Put,
  Query,
  Req,
  Res,
  UploadedFile,
  UseInterceptors,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import {
  Forbidden,
  JsonObject,
  ListOf,
  NumberIn,
  PageQuery,
  Public,
  randomId,
  RequireCaller,
  requestOrigin,
  SecretResponse,
  StorageUnavailable,
  Tagged,
  TakesBytes,
  Text,
  Unauthorized,
  ValidationFailed,
  WalletUnavailable,
  WireConventions,
} from '@passwright/core';
import { Database } from '@passwright/database';
import type { Request, Response } from 'express';
import { QueryFailedError } from 'typeorm';

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

/** Routes that count their runs, and fail or wait as the test demands. */
@WireConventions()
@Controller('v1')
export class ThingsController {
  runs = 0;
  writes = 0;
  failNext: Error | null = null;
  /** `create` and `replace` wait for this promise before they do their work. */
  barrierBeforeWriting: Promise<void> = Promise.resolve();
  /** Slow handlers, such as `create`, wait for this promise before they complete the response. */
  barrier: Promise<void> = Promise.resolve();

  constructor(private readonly database: Database) {}

  @Post('things')
  async create(@Body() thing: Thing, @Query() _query: Record<string, unknown>): Promise<object> {
    this.runs++;
    await this.barrierBeforeWriting;
    const id = await this.insert(thing.name);
    await this.barrier;
    this.failIfAsked();
    return { id, run: this.runs, name: thing.name };
  }

  /** Responds with 200,000 characters. */
  @Post('large')
  async createLarge(@Body() thing: Thing): Promise<object> {
    return { id: await this.insert(thing.name), text: 'x'.repeat(200_000) };
  }

  @Post('pairs')
  async createTwo(@Body() thing: Thing): Promise<object> {
    this.runs++;
    const ids = await Promise.all([this.insert(thing.name), this.insert(thing.name)]);
    this.failIfAsked();
    return { ids };
  }

  /** Responds without writing to the database. */
  @Put('things/:id')
  async replace(@Param('id') id: string, @Body() thing: Thing): Promise<Tagged<object>> {
    this.runs++;
    await this.barrierBeforeWriting;
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
  @SecretResponse()
  secret(): object {
    return { run: ++this.runs };
  }

  @Post('files')
  @UseInterceptors(FileInterceptor('file', { limits: { fileSize: 1000 } }))
  upload(@Query() _query: Record<string, unknown>, @UploadedFile() file?: { size: number }): object {
    return { size: file?.size ?? null, run: ++this.runs };
  }

  @Post('actions')
  @HttpCode(200)
  act(): object {
    return { run: ++this.runs };
  }

  @Post('bytes/:id/all')
  @Public({ unlimited: true })
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
    response.write('half a response');
    throw new Error('in the middle');
  }

  /** Sends the first half of the response immediately, and the second half when the barrier opens. */
  @Get('halves')
  async halves(@Res() response: Response): Promise<void> {
    response.write('first ');
    this.runs++;
    await this.barrier;
    response.end('second');
  }

  /** Sends 64 MiB when the barrier opens, more than a client that reads nothing can receive. */
  @Get('huge')
  async huge(@Res() response: Response): Promise<void> {
    this.runs++;
    await this.barrier;
    response.end(Buffer.alloc(64 * 2 ** 20));
    this.runs++;
  }

  @Get('waits')
  async wait(): Promise<object> {
    this.runs++;
    await this.barrier;
    return {};
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

  @Post('guarded')
  @RequireCaller()
  guarded(@Body() thing: Thing): object {
    return { name: thing.name, origin: requestOrigin()?.ip };
  }

  @Post('open')
  @Public()
  open(@Body() thing: Thing): object {
    return { name: thing.name };
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

const connectionRefused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
const failures: Record<string, Error> = {
  validation: new ValidationFailed('x must be y'),
  unauthorized: new Unauthorized('Sign in.'),
  unavailable: new WalletUnavailable('The certificate has expired.'),
  framework: new BadRequestException(['a is wrong', 'b is wrong']),
  missing: new NotFoundException('No such row'),
  exposed: Object.assign(new Error('teapot'), { status: 418, expose: true }),
  hidden: Object.assign(new Error('SELECT secret'), { status: 418, expose: false }),
  empty: Object.assign(new Error(), { status: 'x' }),
  diskFull: Object.assign(new Error('ENOSPC: no space left on device, open /etc/passwd'), {
    code: 'ENOSPC',
    syscall: 'open',
  }),
  handlesUsedUp: new Error('No file', {
    cause: Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE', syscall: 'open' }),
  }),
  storageLost: new StorageUnavailable(new Error('EIO: i/o error, read')),
  missingFile: Object.assign(new Error('ENOENT: no such file, open x'), { code: 'ENOENT', syscall: 'open' }),
  disconnected: new QueryFailedError('', [], connectionRefused),
  otherService: connectionRefused,
};

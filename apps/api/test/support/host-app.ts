import {
  BadRequestException,
  Body,
  Catch,
  ClassSerializerInterceptor,
  Controller,
  Delete,
  ForbiddenException,
  Get,
  Header,
  HttpCode,
  HttpException,
  Injectable,
  Module,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Put,
  Query,
  Redirect,
  Req,
  Res,
  SetMetadata,
  StreamableFile,
  UploadedFile,
  UseInterceptors,
  ValidationPipe,
  Version,
  VERSION_NEUTRAL,
  VersioningType,
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  type DynamicModule,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, NestFactory, Reflector } from '@nestjs/core';
import { FileInterceptor, type NestExpressApplication } from '@nestjs/platform-express';
import { ApiProperty, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { getRepositoryToken, InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { isPasswrightRoute } from '@passwright/core';
import { IsInt, IsOptional, IsString, Max } from 'class-validator';
import type { NextFunction, Request, Response } from 'express';
import { map } from 'rxjs';
import { Column, DataSource, Entity, PrimaryGeneratedColumn, type Repository } from 'typeorm';

/** A table of the host, whose column has TypeORM's default name. */
@Entity('visit')
export class Visit {
  @PrimaryGeneratedColumn()
  id!: number;

  @Column({ type: 'text' })
  fullName!: string;
}

class NewVisit {
  @ApiProperty()
  @IsString()
  fullName!: string;
}

class VisitQuery {
  @IsOptional()
  @IsInt()
  @Max(100)
  page?: number;
}

@Controller('visits')
class VisitsController {
  constructor(@InjectRepository(Visit) private readonly visits: Repository<Visit>) {}

  @Get()
  list(@Query() query: VisitQuery): Promise<object> {
    return this.visits.find({ order: { id: 'ASC' } }).then((visits) => ({ visits, query }));
  }

  @Get('all')
  @Version('2')
  all(): object {
    return { version: 2 };
  }

  @Get('raw')
  raw(@Query() query: Record<string, unknown>): object {
    return query;
  }

  @Get('secret')
  @SetMetadata('role', 'admin')
  secret(): string {
    return 'for admins';
  }

  @Get('page')
  @Header('Content-Type', 'text/html')
  page(@Res({ passthrough: true }) response: Response): string {
    response.cookie('seen', 'yes');
    return '<!doctype html><title>Host</title>';
  }

  @Get('file')
  file(): StreamableFile {
    return new StreamableFile(Buffer.from('bytes'), { type: 'text/plain', disposition: 'attachment' });
  }

  @Get('elsewhere')
  @Redirect('/api/v1/visits', 302)
  elsewhere(): void {
    // The decorator redirects.
  }

  @Get('failure/:kind')
  fail(@Param('kind') kind: string): never {
    if (kind === 'rejected') throw new BadRequestException('host says no');
    if (kind === 'missing') throw new NotFoundException();
    if (kind === 'teapot') throw new HttpException({ tea: true }, 418);
    throw new Error('a secret of the host');
  }

  @Get('own-response')
  ownResponse(@Res() response: Response): void {
    response.status(203).json({ locals: response.locals });
  }

  @Get(':id')
  async one(@Param('id', ParseIntPipe) id: number): Promise<Visit> {
    const visit = await this.visits.findOneBy({ id });
    if (!visit) throw new NotFoundException(`no visit ${id}`);
    return visit;
  }

  @Post()
  create(@Body() { fullName }: NewVisit): Promise<Visit> {
    return this.visits.save({ fullName });
  }

  @Post('echo')
  @HttpCode(200)
  echo(@Body() body: unknown, @Req() request: Request): object {
    return { body, hasId: 'id' in request, principal: 'principal' in request };
  }

  @Post('upload')
  @UseInterceptors(FileInterceptor('file'))
  upload(@UploadedFile() file: { originalname: string; size: number } | undefined): object {
    return { name: file?.originalname, size: file?.size };
  }

  @Put(':id')
  async replace(@Param('id', ParseIntPipe) id: number, @Body() { fullName }: NewVisit): Promise<Visit> {
    return this.visits.save({ id, fullName });
  }

  @Delete(':id')
  @HttpCode(204)
  async remove(@Param('id', ParseIntPipe) id: number): Promise<void> {
    await this.visits.delete({ id });
  }
}

/** Routes of the host that look like Passwright's. */
@Controller({ path: ['pass-desk', 'pass/desk/of/the/host', 'images'], version: ['1', VERSION_NEUTRAL] })
class DeskController {
  @Get()
  open(@Req() { url }: Request): object {
    return { open: true, url };
  }
}

@Controller({ path: 'status', version: VERSION_NEUTRAL })
class StatusController {
  @Get()
  status(): string {
    return 'up';
  }
}

@Catch()
class HostFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const status = error instanceof HttpException ? error.getStatus() : 500;
    const oops = error instanceof HttpException ? error.getResponse() : 'host failed';
    response.status(status).set('X-Host-Filter', 'yes').json({ oops });
  }
}

@Injectable()
class HostGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const role = this.reflector.get<string | undefined>('role', context.getHandler());
    if (role === undefined || context.switchToHttp().getRequest<Request>().headers['x-role'] === role) return true;
    throw new ForbiddenException(`only for ${role}`);
  }
}

class HostInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    if (isPasswrightRoute(context.getClass())) return next.handle();
    return next.handle().pipe(map((data: unknown) => (data instanceof StreamableFile ? data : { data, by: 'host' })));
  }
}

@Module({
  controllers: [VisitsController, DeskController, StatusController],
  providers: [
    // `forFeature` would add the table to the database of every spec in this process.
    {
      provide: getRepositoryToken(Visit),
      useFactory: (source: DataSource) => source.getRepository(Visit),
      inject: [DataSource],
    },
    { provide: APP_FILTER, useClass: HostFilter },
    { provide: APP_GUARD, useClass: HostGuard },
    { provide: APP_INTERCEPTOR, useClass: ClassSerializerInterceptor },
    { provide: APP_INTERCEPTOR, useClass: HostInterceptor },
    {
      provide: APP_PIPE,
      useValue: new ValidationPipe({
        whitelist: true,
        transform: true,
        transformOptions: { enableImplicitConversion: true },
      }),
    },
  ],
})
class HostModule {}

/** Starts an app of another team, with its own filter, guard, pipe, interceptor and prefix. */
export async function startHost(url: string, guests: DynamicModule['imports'] = []): Promise<NestExpressApplication> {
  class App {}
  const database = TypeOrmModule.forRoot({
    type: 'postgres',
    url,
    entities: [Visit],
    autoLoadEntities: true,
    retryAttempts: 0,
  });
  const app = await NestFactory.create<NestExpressApplication>(
    { module: App, imports: [database, HostModule, ...guests] },
    { logger: false, abortOnError: false },
  );
  app.setGlobalPrefix('api', { exclude: ['status'] });
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
  app.enableCors({ origin: 'https://shop.example.com' });
  app.set('query parser', 'extended');
  app.use((_request: Request, response: Response, next: NextFunction) => {
    response.setHeader('X-Host', 'yes');
    next();
  });
  SwaggerModule.setup('api/docs', app, SwaggerModule.createDocument(app, new DocumentBuilder().build()));
  const connection = app.get(DataSource);
  await connection.query('DROP TABLE IF EXISTS visit');
  await connection.query('CREATE TABLE visit (id serial PRIMARY KEY, "fullName" text NOT NULL)');
  await app.listen(0, '127.0.0.1');
  return app;
}

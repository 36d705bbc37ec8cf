import {
  Body,
  Controller,
  Get,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Res,
  type Type,
  UseGuards,
  UseInterceptors,
  UsePipes,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import {
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  ROUTE_ARGS_METADATA,
  VERSION_METADATA,
} from '@nestjs/common/constants.js';
import { Public, RequireUser } from '../http/access.decorators.js';
import { bodyValidation } from '../http/body-validation.js';
import { SecretResponse } from '../http/secret-response.js';
import { RouteGuard } from './route.guard.js';
import { RouteBodyInterceptor, RouteKeysInterceptor } from './route.interceptor.js';
import { followConventions, isPasswrightRoute, WireConventions, withPasswrightRoutes } from './wire-conventions.js';

class OwnGuard {
  canActivate = () => true;
}
class OwnInterceptor {
  intercept = () => undefined as never;
}

@WireConventions()
@UseGuards(OwnGuard)
@Controller({ path: 'things', version: '3' })
class ThingsController {
  @Get()
  @RequireUser()
  list(): void {
    // Nothing to do.
  }

  @Post()
  @RequireUser()
  @UseInterceptors(OwnInterceptor)
  create(): void {
    // Nothing to do.
  }

  @Post('public')
  @Public()
  createPublic(): void {
    // Nothing to do.
  }

  @Post('secret')
  @RequireUser()
  @SecretResponse()
  createSecret(): void {
    // Nothing to do.
  }

  @Post('stream')
  @RequireUser()
  stream(@Res() _response: object): void {
    // Nothing to do.
  }
}

@Controller()
class OtherController {}

const interceptors = (name: keyof ThingsController) =>
  Reflect.getMetadata(INTERCEPTORS_METADATA, ThingsController.prototype[name]) as unknown;

it('the guard of the conventions is added once, before the guards that a controller names', () => {
  followConventions(ThingsController);
  expect(Reflect.getMetadata(GUARDS_METADATA, ThingsController)).toEqual([RouteGuard, OwnGuard]);
});

class Filter {}
class OwnPipe {
  transform = (value: unknown) => value;
}

@Controller('validated')
class ValidatedController {
  @Get('none')
  @Public()
  none(@Res() _response: object, @Query() _query: Record<string, unknown>): void {
    // Nothing to do.
  }

  @Get(':id')
  @Public()
  text(@Param('id') _id: string): void {
    // Nothing to do.
  }

  @Get('files/*path')
  @Public()
  wildcard(@Param('path') _path: string): void {
    // Nothing to do.
  }

  @Get('number/:n')
  @Public()
  number(@Param('n') _n: number): void {
    // Nothing to do.
  }

  @Get('query')
  @Public()
  query(@Query() _query: Filter): void {
    // Nothing to do.
  }

  @Get('name')
  @Public()
  name(@Query('name') _name: string): void {
    // Nothing to do.
  }

  @Post('body')
  @Public()
  body(@Param('id') _id: string, @Body(OwnPipe) _body: object): void {
    // Nothing to do.
  }
}

class InheritingController extends ValidatedController {}

@UsePipes(ParseIntPipe)
@Controller('piped')
class PipedController {
  @Get('number/:n')
  @Public()
  number(@Param('n') _n: number): void {
    // Nothing to do.
  }
}

@Controller('piped')
class PipedHandlerController {
  @Get('number/:n')
  @Public()
  @UsePipes(ParseIntPipe)
  number(@Param('n') _n: number): void {
    // Nothing to do.
  }
}

function parameterPipes(controller: Type<unknown>, name: keyof ValidatedController): unknown[] {
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as Record<string, { pipes: unknown[] }>;
  return Object.values(parameters).map(({ pipes }) => pipes);
}

it('only parameters that the validation could reject or convert get its pipe', () => {
  followConventions(ValidatedController);
  followConventions(InheritingController);
  for (const controller of [ValidatedController, InheritingController]) {
    for (const name of ['none', 'text'] as const) expect(parameterPipes(controller, name).flat()).toEqual([]);
    for (const name of ['wildcard', 'number', 'query', 'name'] as const) {
      expect(parameterPipes(controller, name)).toEqual([[bodyValidation]]);
    }
    // Nest lists the last parameter first.
    expect(parameterPipes(controller, 'body')).toEqual([[bodyValidation, OwnPipe], []]);
  }
});

it('the validation is added once, before the pipes that a controller names', () => {
  followConventions(PipedController);
  followConventions(PipedController);
  expect(Reflect.getMetadata(PIPES_METADATA, PipedController)).toEqual([bodyValidation, ParseIntPipe]);
  expect(parameterPipes(PipedController, 'number')).toEqual([[]]);
});

it('the validation is added once, before the pipes that a handler names', () => {
  followConventions(PipedHandlerController);
  const handler = PipedHandlerController.prototype.number;
  expect(Reflect.getMetadata(PIPES_METADATA, handler)).toEqual([bodyValidation, ParseIntPipe]);
});

it('the definition of a controller fails if @WireConventions is below @Controller', () => {
  const define = () => {
    @Controller()
    @WireConventions()
    class Reversed {}
    return Reversed;
  };
  expect(define).toThrow('Write @WireConventions() above the @Controller() of Reversed.');
});

it('the routes of @WireConventions ignore the versioning of the app', () => {
  expect(Reflect.getMetadata(VERSION_METADATA, ThingsController)).toBe(VERSION_NEUTRAL);
});

it('only write routes read a body, and some of them ignore the idempotency key', () => {
  expect(interceptors('list')).toBeUndefined();
  expect(interceptors('create')).toEqual([RouteKeysInterceptor, OwnInterceptor]);
  for (const name of ['createPublic', 'createSecret', 'stream'] as const) {
    expect(interceptors(name)).toEqual([RouteBodyInterceptor]);
  }
});

it('isPasswrightRoute recognises @WireConventions; withPasswrightRoutes includes such controllers in OpenAPI documents', () => {
  const isExcluded = () => (Reflect.getMetadata('swagger/apiExcludeController', ThingsController) as boolean[])[0];
  expect([isPasswrightRoute(ThingsController), isPasswrightRoute(OtherController)]).toEqual([true, false]);
  expect([isExcluded(), withPasswrightRoutes(isExcluded), isExcluded()]).toEqual([true, false, true]);
  const failing = () =>
    withPasswrightRoutes(() => {
      throw new Error('no document');
    });
  expect(failing).toThrow('no document');
  expect(isExcluded()).toBe(true);
});

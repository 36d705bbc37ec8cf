import {
  Body,
  Controller,
  Get,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Res,
  UseGuards,
  UseInterceptors,
  UsePipes,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { GUARDS_METADATA, INTERCEPTORS_METADATA, PIPES_METADATA, VERSION_METADATA } from '@nestjs/common/constants.js';
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

it('the guard of the conventions is added once, before those that a controller names', () => {
  followConventions(ThingsController);
  expect(Reflect.getMetadata(GUARDS_METADATA, ThingsController)).toEqual([RouteGuard, OwnGuard]);
});

class Filter {}

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
  body(@Body() _body: object): void {
    // Nothing to do.
  }
}

@UsePipes(ParseIntPipe)
class PipedController extends ValidatedController {}

it('only routes with a parameter that could be rejected or converted have the pipe of the validation', () => {
  followConventions(ValidatedController);
  const isValidated = (name: keyof ValidatedController) =>
    Reflect.hasMetadata(PIPES_METADATA, ValidatedController.prototype[name]);
  expect(['none', 'text'].filter((name) => isValidated(name as keyof ValidatedController))).toEqual([]);
  for (const name of ['wildcard', 'number', 'query', 'name', 'body'] as const) {
    expect(Reflect.getMetadata(PIPES_METADATA, ValidatedController.prototype[name])).toEqual([bodyValidation]);
  }
});

it('the validation is added once, before the pipes that a controller names', () => {
  followConventions(PipedController);
  followConventions(PipedController);
  expect(Reflect.getMetadata(PIPES_METADATA, PipedController)).toEqual([bodyValidation, ParseIntPipe]);
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

it('only write routes read a body; those that are public, secret or streaming ignore the idempotency key', () => {
  expect(interceptors('list')).toBeUndefined();
  expect(interceptors('create')).toEqual([RouteBodyInterceptor, RouteKeysInterceptor, OwnInterceptor]);
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

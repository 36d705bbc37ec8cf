import {
  Controller,
  createParamDecorator,
  type ExecutionContext,
  HttpCode,
  Param,
  Post,
  Put,
  RawBody,
} from '@nestjs/common';
import { Caller, type Principal, RequireCaller, WireConventions } from '@passwright/core';
import type { Request } from 'express';

/** Replaces a method, as decorators for traces and metrics do. The new function has no name. */
const Traced: MethodDecorator = (_target, _name, descriptor) => {
  const method = descriptor.value as unknown as (...args: unknown[]) => unknown;
  const wrapped = (() =>
    function (this: unknown, ...args: unknown[]) {
      return method.apply(this, args);
    })();
  for (const key of Reflect.getMetadataKeys(method)) {
    Reflect.defineMetadata(key, Reflect.getMetadata(key, method), wrapped);
  }
  return { ...descriptor, value: wrapped as never };
};

const Sent = createParamDecorator((_: unknown, context: ExecutionContext): unknown => {
  return context.switchToHttp().getRequest<Request>().body;
});

/** Routes of an app that uses the conventions, in ways that Passwright's own routes do not. */
@WireConventions()
@Controller('host')
export class HostController {
  @RequireCaller()
  @Put('files/*path')
  putFile(@Param('path') path: string[]): object {
    return { path };
  }

  @RequireCaller()
  @Put('drawers{/:drawer}')
  putDrawer(@Param('drawer') drawer?: string): object {
    return { drawer };
  }

  @RequireCaller()
  @Post('traced')
  @HttpCode(200)
  @Traced
  traced(@Sent() sent: unknown): object {
    return { sent };
  }

  @RequireCaller()
  @Post('traced-action')
  @HttpCode(200)
  @Traced
  tracedAction(@Caller() { id }: Principal): object {
    return { id };
  }

  @RequireCaller()
  @Post('custom')
  @HttpCode(200)
  custom(@Sent() sent: unknown): object {
    return { sent };
  }

  @RequireCaller()
  @Post('raw')
  @HttpCode(200)
  raw(@RawBody() _raw: unknown): object {
    return { taken: true };
  }

  @RequireCaller()
  @Post('action')
  @HttpCode(200)
  action(@Caller() { id }: Principal): object {
    return { id };
  }
}

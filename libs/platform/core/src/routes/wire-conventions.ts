import { RequestMethod, VERSION_NEUTRAL, type ExecutionContext, type Type } from '@nestjs/common';
import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  PIPES_METADATA,
  ROUTE_ARGS_METADATA,
  VERSION_METADATA,
} from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ACCESS, type Access } from '../http/access.decorators.js';
import { bodyValidation } from '../http/body-validation.js';
import { SECRET_RESPONSE } from '../http/secret-response.js';
import { RouteFilter } from './route.filter.js';
import { RouteGuard } from './route.guard.js';
import { RouteBodyInterceptor, RouteKeysInterceptor } from './route.interceptor.js';
import { validatedParameters } from './validated-parameters.js';

const CONVENTIONS = 'passwright:wire-conventions';
/** The metadata key with which @nestjs/swagger marks a controller that it leaves out. */
const EXCLUDED = 'swagger/apiExcludeController';
/**
 * The mark of controllers that OpenAPI documents leave out. All controllers share this value, so that one change
 * includes all of them in a document.
 */
const isExcluded = [true];

/** The part of the metadata of a handler's parameter that this file changes. */
interface Parameter {
  readonly pipes: readonly unknown[];
}

const reads = new Set<RequestMethod | undefined>([undefined, RequestMethod.GET, RequestMethod.HEAD]);

/**
 * Gives the routes of a controller the conventions of the API: authentication and limits, validation, the error body,
 * bodies that are read after the guards, and idempotency keys. `rootModule` applies these conventions to its
 * controllers. The app's OpenAPI document leaves the routes out unless it is created in `withPasswrightRoutes`. Write
 * the decorator above `@Controller`.
 */
export function WireConventions(): ClassDecorator {
  return (controller) => {
    // `@Controller` would overwrite the version afterwards.
    if (!Reflect.hasMetadata(PATH_METADATA, controller)) {
      throw new Error(`Write @WireConventions() above the @Controller() of ${controller.name}.`);
    }
    followConventions(controller as unknown as Type);
  };
}

/** Applies `@WireConventions` to a controller; a second call changes nothing. */
export function followConventions(controller: Type<unknown>): void {
  if (Reflect.hasOwnMetadata(CONVENTIONS, controller)) return;
  Reflect.defineMetadata(CONVENTIONS, true, controller);
  Reflect.defineMetadata(VERSION_METADATA, VERSION_NEUTRAL, controller);
  prepend(EXCEPTION_FILTERS_METADATA, controller, RouteFilter);
  prepend(GUARDS_METADATA, controller, RouteGuard);
  if (!Reflect.hasMetadata(EXCLUDED, controller)) Reflect.defineMetadata(EXCLUDED, isExcluded, controller);
  for (const handler of methodsOf(controller)) {
    interceptWrite(controller, handler);
    validate(controller, handler);
  }
}

/**
 * Returns true for a controller with `@WireConventions`. A guard, pipe or interceptor that an app has registered
 * globally also runs for Passwright's routes, and can skip them: `isPasswrightRoute(context.getClass())`.
 */
export function isPasswrightRoute(controller: ReturnType<ExecutionContext['getClass']>): boolean {
  return Reflect.hasMetadata(CONVENTIONS, controller);
}

/**
 * Runs `create` so that the OpenAPI document that it creates describes Passwright's routes too:
 * `withPasswrightRoutes(() => SwaggerModule.createDocument(app, config))`.
 */
export function withPasswrightRoutes<T>(create: () => T): T {
  isExcluded[0] = false;
  try {
    return create();
  } finally {
    isExcluded[0] = true;
  }
}

/**
 * Binds the validation to the parameters that need it. If the controller or handler has pipes of its own, puts the
 * validation before those pipes, because Nest runs them before the pipes of a parameter.
 */
function validate(controller: Type<unknown>, handler: object): void {
  const keys = validatedParameters(controller, handler);
  if (keys.length === 0) return;
  const target = [controller, handler].find((each) => Reflect.hasMetadata(PIPES_METADATA, each));
  if (target) return prepend(PIPES_METADATA, target, bodyValidation);
  const { name } = handler as { readonly name: string };
  const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) as Record<string, Parameter>;
  const validated = Object.entries(parameters).map(([key, parameter]) => {
    const isNew = keys.includes(key) && !parameter.pipes.includes(bodyValidation);
    return [key, isNew ? { ...parameter, pipes: [bodyValidation, ...parameter.pipes] } : parameter] as const;
  });
  Reflect.defineMetadata(ROUTE_ARGS_METADATA, Object.fromEntries(validated), controller, name);
}

/**
 * Chooses the interceptor of a write route. Reads get none, because an interceptor takes about as much time as the rest
 * of a small request.
 */
function interceptWrite(controller: Type<unknown>, handler: object): void {
  if (reads.has(Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined)) return;
  const isPublic = (Reflect.getMetadata(ACCESS, handler) as Access | undefined)?.kind === 'public';
  const takesKeys = !isPublic && !isExemptFromKeys(controller, handler);
  // Interceptors of the controller run before this interceptor, so they must not write to the database.
  prepend(INTERCEPTORS_METADATA, handler, takesKeys ? RouteKeysInterceptor : RouteBodyInterceptor);
}

/**
 * Returns true if a handler takes no idempotency keys: it responds with a secret, accepts files, or writes the response
 * itself.
 */
function isExemptFromKeys(controller: Type<unknown>, handler: object): boolean {
  if (Reflect.getMetadata(SECRET_RESPONSE, handler)) return true;
  const { name } = handler as { readonly name: string };
  const metadata: unknown = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name);
  const kinds = Object.keys(metadata ?? {}).map((key) => Number(key.split(':', 1)[0]));
  return [RouteParamtypes.FILE, RouteParamtypes.FILES, RouteParamtypes.RESPONSE].some((kind) => kinds.includes(kind));
}

/** Puts a guard, pipe or interceptor before those that the controller or handler names itself. */
function prepend(key: string, target: object, enhancer: unknown): void {
  const own = (Reflect.getMetadata(key, target) ?? []) as unknown[];
  if (!own.includes(enhancer)) Reflect.defineMetadata(key, [enhancer, ...own], target);
}

function methodsOf(controller: Type<unknown>): object[] {
  const methods: object[] = [];
  let prototype = controller.prototype as object | null;
  for (; prototype && prototype !== Object.prototype; prototype = Object.getPrototypeOf(prototype) as object | null) {
    for (const { value } of Object.values(Object.getOwnPropertyDescriptors(prototype)) as { value?: unknown }[]) {
      if (typeof value === 'function') methods.push(value);
    }
  }
  return methods;
}

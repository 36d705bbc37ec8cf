import type { DynamicModule, FactoryProvider, ModuleMetadata, Type } from '@nestjs/common';
import { followConventions } from './routes/wire-conventions.js';

/** The argument of `forRootAsync`: a factory of the options, and whether to serve the routes. */
export interface RootModuleAsyncOptions<Options> {
  /** Modules that provide the injected values, unless they are global. */
  readonly imports?: ModuleMetadata['imports'];
  readonly inject?: readonly NonNullable<FactoryProvider['inject']>[number][];
  readonly useFactory: (...injected: never[]) => Options | Promise<Options>;
  readonly routes?: boolean;
}

/**
 * Creates the base class of a package's module: global, with `forRoot(options)` and `forRootAsync`. The options class
 * is its own injection token. The controllers follow `WireConventions`, even beside other routes of the app. `routes:
 * false` omits the controllers, for a team that wants our services without our HTTP routes.
 */
export function rootModule<Options extends object>(
  optionsClass: abstract new (...args: never[]) => Options,
  controllers: Type<unknown>[] = [],
) {
  controllers.forEach(followConventions);
  return class {
    static forRoot(options: Options & { readonly routes?: boolean }): DynamicModule {
      return {
        module: this,
        global: true,
        controllers: options.routes === false ? [] : controllers,
        providers: [{ provide: optionsClass, useValue: options }],
        exports: [optionsClass],
      };
    }

    static forRootAsync(options: RootModuleAsyncOptions<Options>): DynamicModule {
      const { imports = [], inject = [], useFactory, routes } = options;
      return {
        module: this,
        global: true,
        imports,
        controllers: routes === false ? [] : controllers,
        providers: [{ provide: optionsClass, inject: [...inject], useFactory }],
        exports: [optionsClass],
      };
    }
  };
}

import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { rootModule } from './root-module.js';

abstract class GreetingOptions {
  abstract readonly name: string;
}

@Injectable()
class Greeter {
  constructor(private readonly options: GreetingOptions) {}
  greet(): string {
    return `Hello ${this.options.name}`;
  }
}

@Controller()
class GreetingController {
  @Get()
  greet(): string {
    return 'Hello';
  }
}

@Module({ providers: [Greeter], exports: [Greeter] })
class GreetingModule extends rootModule(GreetingOptions, [GreetingController]) {}

abstract class Settings {
  abstract readonly who: string;
}

@Module({ providers: [{ provide: Settings, useValue: { who: 'Bob' } }], exports: [Settings] })
class SettingsModule {
  static global() {
    return { module: SettingsModule, global: true };
  }
}

async function greeting(...imports: object[]): Promise<string> {
  @Module({ imports: imports as [] })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
  const text = app.get(Greeter, { strict: false }).greet();
  await app.close();
  return text;
}

it('a root module provides its options to its services, with the options class as the token', async () => {
  expect(await greeting(GreetingModule.forRoot({ name: 'Ada' }))).toBe('Hello Ada');
});

it('a root module builds its options from injected values', async () => {
  const fromSettings = { inject: [Settings], useFactory: ({ who }: Settings) => ({ name: who }) };
  expect(await greeting(SettingsModule.global(), GreetingModule.forRootAsync(fromSettings))).toBe('Hello Bob');
});

it('a root module builds its options from an imported module that is not global', async () => {
  const useFactory = ({ who }: Settings) => ({ name: who });
  const options = { imports: [SettingsModule], inject: [Settings], useFactory };
  expect(await greeting(GreetingModule.forRootAsync(options))).toBe('Hello Bob');
});

it('a root module serves its routes unless they are disabled', () => {
  const useFactory = () => ({ name: 'x' });
  expect(GreetingModule.forRoot({ name: 'x' }).controllers).toEqual([GreetingController]);
  expect(GreetingModule.forRoot({ name: 'x', routes: false }).controllers).toEqual([]);
  expect(GreetingModule.forRootAsync({ useFactory }).controllers).toEqual([GreetingController]);
  expect(GreetingModule.forRootAsync({ useFactory, routes: false }).controllers).toEqual([]);
});

import type { DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DefaultNamingStrategy, type MigrationInterface } from 'typeorm';
import { Settings, SettingsModule } from '../settings.js';

/** Gives tables plural names and columns snake_case names, unless an entity sets other names. */
class MuseumNaming extends DefaultNamingStrategy {
  override tableName(entity: string, ownName: string | undefined): string {
    return ownName ?? `${snakeCase(entity)}s`;
  }

  override columnName(property: string, ownName: string | undefined, prefixes: string[]): string {
    return ownName ?? [...prefixes, property].map(snakeCase).join('_');
  }
}

function snakeCase(name: string): string {
  return name.replace(/(?<!^)[A-Z]/g, '_$&').toLowerCase();
}

/** Connects the app to its database. Passwright uses this connection too. */
export function connection(migrations: (new () => MigrationInterface)[]): DynamicModule {
  return TypeOrmModule.forRootAsync({
    imports: [SettingsModule],
    inject: [Settings],
    useFactory: ({ databaseUrl }: Settings) => ({
      type: 'postgres' as const,
      url: databaseUrl,
      namingStrategy: new MuseumNaming(),
      autoLoadEntities: true,
      migrations,
      migrationsRun: true,
      migrationsTransactionMode: 'each' as const,
    }),
  });
}

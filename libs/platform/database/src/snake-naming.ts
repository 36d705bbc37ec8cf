import { DefaultNamingStrategy } from 'typeorm';

/** Names columns in snake case: `createdAt` → `created_at`. Each entity names its table. */
export class SnakeNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}

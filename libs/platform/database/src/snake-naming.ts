import { DefaultNamingStrategy } from 'typeorm';

/** `createdAt` → `created_at`. Table names are given by each entity. */
export class SnakeNaming extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}

import { discoveredSchemas } from './discovery.js';

/** A property of the discovery document. */
export interface DiscoveredProperty {
  readonly type?: string;
  readonly $ref?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: DiscoveredProperty;
}

/** A schema of the discovery document, without its deprecated parts. */
export interface DiscoveredSchema {
  /** The `kind` that Google adds to its responses. */
  readonly kind?: string;
  readonly properties: Readonly<Record<string, DiscoveredProperty>>;
  /** The names of deprecated properties. Google knows them, but we must not send them. */
  readonly deprecated: readonly string[];
}

let parsed: Readonly<Record<string, DiscoveredSchema>> | undefined;

/** Returns all schemas by name. Parses them at the first call. */
export function discovered(): Readonly<Record<string, DiscoveredSchema>> {
  return (parsed ??= JSON.parse(discoveredSchemas) as Record<string, DiscoveredSchema>);
}

/** Returns the schema with this name. @throws RangeError for an unknown name */
export function discoveredSchema(name: string): DiscoveredSchema {
  const schema = discovered()[name];
  if (!schema) throw new RangeError(`There is no schema "${name}".`);
  return schema;
}

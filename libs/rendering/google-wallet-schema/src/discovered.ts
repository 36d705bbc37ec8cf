import { discoveredSchemas } from './discovery.js';

/** A property as the discovery document has it. */
export interface DiscoveredProperty {
  readonly type?: string;
  readonly $ref?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: DiscoveredProperty;
}

/** A schema of the discovery document, without what is deprecated. */
export interface DiscoveredSchema {
  /** What Google adds to its answers as `kind`. */
  readonly kind?: string;
  readonly properties: Readonly<Record<string, DiscoveredProperty>>;
  /** Names of deprecated properties: known to Google, not to be sent. */
  readonly deprecated: readonly string[];
}

let parsed: Readonly<Record<string, DiscoveredSchema>> | undefined;

/** All schemas by name, parsed at the first call. */
export function discovered(): Readonly<Record<string, DiscoveredSchema>> {
  return (parsed ??= JSON.parse(discoveredSchemas) as Record<string, DiscoveredSchema>);
}

/** @throws RangeError when there is no schema of that name */
export function discoveredSchema(name: string): DiscoveredSchema {
  const schema = discovered()[name];
  if (!schema) throw new RangeError(`There is no schema "${name}".`);
  return schema;
}

import { randomUUID } from 'node:crypto';
import type { Json } from './json.js';
import { exampleOf } from './schema-shape.js';

/** One property of a body. */
export interface Leaf {
  /** The path of the property, such as `fields[0].key`. */
  at: string;
  property: Json;
  isRequired: boolean;
  /** Returns a body with this JSON text as the value of the property. */
  inBody: (body: object, text: string) => string;
}

/** Lists the properties of a schema and of its nested objects. */
export function leaves(document: Json, { properties, required = [] }: Json): Leaf[] {
  return Object.entries<Json>(properties).flatMap(([name, property]) => {
    const leaf: Leaf = {
      at: name,
      property,
      isRequired: (required as string[]).includes(name),
      inBody: (body, text) => withProperty(body, name, text),
    };
    const ref = (property.items?.$ref ?? property.$ref ?? property.allOf?.[0].$ref) as string | undefined;
    const inner = document.components.schemas[ref?.split('/').at(-1) ?? ''];
    if (!inner?.properties) return [leaf];
    const around = (text: string) => (property.items ? `[${text}]` : text);
    const innerLeaves = leaves(document, inner).map((own) => ({
      ...own,
      at: `${around(name)}.${own.at}`,
      inBody: (body: object, text: string) =>
        withProperty(body, name, around(own.inBody(exampleOf(document, { $ref: ref }) as object, text))),
    }));
    return [leaf, ...innerLeaves];
  });
}

/** Returns a body in which a JSON text replaces the value of one property. */
export function withProperty(body: object, name: string, text: string): string {
  const marker = randomUUID();
  return JSON.stringify({ ...body, [name]: marker }).replace(`"${marker}"`, () => text);
}

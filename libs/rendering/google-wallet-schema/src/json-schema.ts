import { discovered, type DiscoveredProperty, type DiscoveredSchema } from './discovered.js';
import { handRules, int64Rule, textRule, type HandRules } from './rules.js';

/** Returns all schemas with their rules as one JSON Schema (draft 7), for references such as `#/$defs/OfferClass`. */
export function jsonSchemas(): { readonly $defs: Record<string, object> } {
  const definitions = Object.entries(discovered()).map(([name, schema]) => [name, definition(schema, handRules[name])]);
  return { $defs: Object.fromEntries(definitions) as Record<string, object> };
}

function definition(schema: DiscoveredSchema, rules: HandRules = {}): object {
  const properties = Object.entries(schema.properties).map(([name, property]) => [
    name,
    { ...propertySchema(property), ...rules.properties?.[name] },
  ]);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(properties) as Record<string, object>,
    ...(rules.required && { required: rules.required }),
    ...(rules.exactlyOne && { exactlyOne: rules.exactlyOne }),
    ...(rules.atMostOne && { atMostOne: rules.atMostOne }),
    ...rules.also,
  };
}

function propertySchema({ type, $ref, format, enum: values, items }: DiscoveredProperty): object {
  if ($ref) return { $ref: `#/$defs/${$ref}` };
  return {
    type,
    ...(type === 'string' && !values && (format === 'int64' ? int64Rule : textRule)),
    ...(values && { enum: values }),
    ...(items && { items: propertySchema(items) }),
  };
}

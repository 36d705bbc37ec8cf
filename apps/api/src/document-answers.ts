import type { OpenAPIObject } from '@nestjs/swagger';

interface DocumentedOperation {
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, { content?: Record<string, object> }>>;
}

/** Operations that browsers come to answer them with pages, also when something is wrong; programs get JSON. */
export function addPagesOfErrors({ paths }: OpenAPIObject): void {
  const operations = Object.values(paths).flatMap((path) => Object.values(path) as DocumentedOperation[]);
  for (const { security = [], responses } of operations) {
    const isForBrowsers = responses['200']?.content?.['text/html'] !== undefined || responses['302'] !== undefined;
    if (security.length > 0 || !isForBrowsers) continue;
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue;
      response.content = { ...response.content, 'text/html': { schema: { type: 'string' } } };
    }
  }
}

/** What may be null says so beside its schema: the schema of a thing itself lets no null through, and strict readers know. */
export function allowNulls(part: unknown): void {
  if (typeof part !== 'object' || part === null) return;
  const schema = part as { nullable?: boolean; type?: string; allOf?: object[]; anyOf?: object[] };
  if (schema.nullable === true && schema.allOf) {
    schema.anyOf = [...schema.allOf, { type: 'object', nullable: true, enum: [null] }];
    for (const name of ['nullable', 'type', 'allOf'] as const) delete schema[name];
  }
  for (const inner of Object.values(part)) allowNulls(inner);
}

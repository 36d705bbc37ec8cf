import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { withPasswrightRoutes } from '@passwright/core';
import { withBaseUrl } from '@passwright/images';
import { eventDataTypes } from '@passwright/webhooks';
import { addErrorHeaders, addPagesOfErrors } from './error-headers.js';
import { allowNulls } from './nullable-references.js';
import { documentConventions } from './documented-conventions.js';
import { version } from '../version.js';
import { addErrorExamples } from './error-examples.js';
import { describePlainParts } from './plain-descriptions.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const description = `Templates give a pass its appearance; passes are issued from them and live in Apple Wallet, Google Wallet and on the web.

**Start here:** \`POST /v1/auth/register\`, press *Authorize* and paste the \`accessToken\`, save a template, issue a pass from it, then open its \`walletAUrl\`.

In paths and properties *wallet A* is Apple Wallet and *wallet B* is Google Wallet.

* **Errors** have one body: \`statusCode\`, \`code\` (stable, for programs), \`error\`, \`message\` (for people), \`docUrl\` (the code's cause and fix). A browser that opens an address gets a page with the same status.
* **Writes** accept an \`Idempotency-Key\` where it is listed: the same key, route and body within 24 hours get the first response again. Responses that contain a token or key are never stored. An image that is uploaded twice is stored once.
* **Reads** of one resource carry an \`ETag\`; send it as \`If-None-Match\` to save the transfer, or as \`If-Match\` with a write so that it does not overwrite another change.
* **Lists** take \`limit\` (1 to 100) and a \`cursor\`: the \`nextCursor\` of the previous page.
* **Limits**: responses carry \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds) for the requests per minute. A 429 also carries \`Retry-After\`.
* **Every response** carries \`X-Request-Id\`; quote it when you report a problem.`;

const tags: [name: string, description: string][] = [
  ['auth', 'Users, sessions and API keys'],
  ['templates', 'The shared content of passes: appearance, fields, places'],
  ['passes', 'Single passes: issue, change, void, redeem'],
  ['memberships', 'Members, with automatic passes, reminders and expiry'],
  ['messages', 'Messages to the holders of passes, now or at a planned time'],
  ['webhooks', 'Events of passes and members, sent to other systems as they happen'],
  ['accounts', 'The account: users, usage, billing, audit trail, certificates'],
  ['privacy', 'Export and erase all data of one holder'],
  ['walletA', 'Apple Wallet'],
  ['walletB', 'Google Wallet'],
  ['mcp', 'Operations that agents may call as tools'],
  ['operation', 'Health and metrics for operators'],
];

/** Creates the OpenAPI document, which describes every route. */
export function openApiDocument(app: INestApplication, baseUrl: string): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('Passwright')
    .setDescription(description)
    .setVersion(version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer(baseUrl)
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: "A user's access token, or an API key" })
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description:
          '`ApplePass <token>`: the `authenticationToken` in the pass, which identifies the phones that hold it. Other ' +
          'wallets may write `AndroidPass <token>` or `WalletUnionPass <token>`',
      },
      'passToken',
    );
  for (const [name, about] of tags) builder.addTag(name, about);
  documentConventions(app);
  const extraModels = [...new Set(Object.values(eventDataTypes))];
  const document = withPasswrightRoutes(() => SwaggerModule.createDocument(app, builder.build(), { extraModels }));
  for (const path of Object.values(document.paths)) {
    // Declare the security of public routes too, to say explicitly that they need no credential.
    for (const operation of Object.values(path) as Operation[]) {
      operation.security ??= [];
      boundSegments(operation);
    }
  }
  describePlainParts(document);
  addErrorExamples(document);
  addErrorHeaders(document);
  addPagesOfErrors(document);
  allowNulls(document);
  return withBaseUrl(document, baseUrl);
}

/** The parameters that are ids. Ids have at most 64 characters, and the service responds to longer ones with 404. */
const ids = new Set(
  ['account', 'event', 'key', 'message', 'pass', 'plan', 'session', 'template', 'webhook'].map((name) => `${name}Id`),
)
  .add('serialNumber')
  .add('uid');

/** Declares the length limits of path parameters. The minimum is 1, because an empty one would lead to another path. */
function boundSegments({ parameters = [] }: Operation): void {
  for (const parameter of parameters) {
    if ('$ref' in parameter || parameter.in !== 'path' || !parameter.schema || '$ref' in parameter.schema) continue;
    if (parameter.schema.type !== 'string') continue;
    parameter.schema = { minLength: 1, ...(ids.has(parameter.name) && { maxLength: 64 }), ...parameter.schema };
  }
}

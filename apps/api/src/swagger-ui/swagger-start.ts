import { accessibleParts } from './accessible-parts.js';
import { authorizeFocus } from './authorize-focus.js';
import { exampleRequests } from './example-requests.js';
import { lineExamples } from './line-examples.js';
import { operationSearch } from './operation-search.js';
import { requestSamples } from './request-samples.js';
import { sampleLanguages } from './sample-languages.js';

const options = {
  dom_id: '#swagger-ui',
  layout: 'BaseLayout',
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  docExpansion: 'none',
  filter: true,
};

/**
 * Builds the script that starts Swagger UI with the document beside it. The script of @nestjs/swagger inserts the
 * document with `String.replace`, which breaks if a description contains `$`.
 */
export function swaggerStart(): string {
  const plugins = [
    exampleRequests,
    sampleLanguages,
    requestSamples,
    lineExamples,
    authorizeFocus,
    operationSearch,
    accessibleParts,
  ]
    .map(String)
    .join(',\n');
  return `const here = document.currentScript.src;
const dark = matchMedia('(prefers-color-scheme: dark)');
const followColorScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followColorScheme);
followColorScheme();
window.addEventListener('load', () => {
  window.ui = SwaggerUIBundle({
    ...${JSON.stringify(options)},
    url: new URL('../openapi.json', here).href,
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [${plugins}],
  });
});
`;
}

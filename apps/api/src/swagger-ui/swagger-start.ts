import { accessibleParts } from './accessible-parts.js';
import { authorizeFocus } from './authorize-focus.js';
import { completedParts } from './completed-parts.js';
import { emptyFilters } from './empty-filters.js';
import { exampleRequests } from './example-requests.js';
import { lineExamples } from './line-examples.js';
import { linkedCodes } from './linked-codes.js';
import { operationSearch } from './operation-search.js';
import { pythonSample } from './python-sample.js';
import { quickDocument } from './quick-document.js';
import { requestSamples } from './request-samples.js';
import { sampleLanguages } from './sample-languages.js';
import { shortResponses } from './short-responses.js';
import { withoutReferences } from './without-references.js';

const options = {
  dom_id: '#swagger-ui',
  layout: 'BaseLayout',
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  docExpansion: 'none',
};

const plugins = [
  exampleRequests,
  sampleLanguages,
  pythonSample,
  requestSamples,
  lineExamples,
  authorizeFocus,
  operationSearch,
  completedParts,
  accessibleParts,
  shortResponses,
  withoutReferences,
  quickDocument,
  emptyFilters,
  linkedCodes,
]
  .map(String)
  .join(',\n');

/**
 * Builds the script that defines `startSwaggerUi`, which starts Swagger UI with a document and resolves before the
 * browser paints the operations.
 */
export function swaggerStart(): string {
  return `const startSwaggerUi = (document, search, openGroups) =>
  new Promise((onShown) => {
    const whenShown = ({ React }) => ({
      wrapComponents: {
        operations: (Operations) => (props) => {
          React.useLayoutEffect(onShown, []);
          return React.createElement(Operations, props);
        },
      },
    });
    window.ui = SwaggerUIBundle({
      ...${JSON.stringify(options)},
      filter: search || true,
      presets: [SwaggerUIBundle.presets.apis],
      plugins: [whenShown, ${plugins}],
    });
    // The action \`show\` would also change the address of the page to that of the group.
    for (const group of openGroups)
      ui.getStore().dispatch({ type: 'layout_show', payload: { thing: ['operations-tag', group], shown: true } });
    ui.layoutActions.clearScrollTo();
    ui.specActions.updateSpec(document);
  });
`;
}

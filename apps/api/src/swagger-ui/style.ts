/** Styles that Swagger UI lacks: visible focus, readable text in dark mode, and the look of request samples. */
export const swaggerStyle = `
html { box-sizing: border-box; overflow-y: scroll; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; background: #fafafa; }
.masthead { display: flex; justify-content: space-between; align-items: center; padding: 10px 20px; background: #1f2a6b; font: 600 18px/1.3 system-ui, sans-serif; }
.masthead a { color: #fff; text-decoration: none; display: inline-flex; align-items: center; gap: 10px; min-height: 32px; }
.masthead nav a { font-size: 14px; font-weight: 400; margin-left: 16px; text-decoration: underline; }
.masthead a:focus-visible { outline: 3px solid #7cc4ff; outline-offset: 2px; border-radius: 3px; }
.swagger-ui :focus-visible { outline: 3px solid #1a6fb0 !important; outline-offset: 2px; border-radius: 3px; }
.dark-mode .swagger-ui :focus-visible { outline-color: #7cc4ff !important; }
.dark-mode .swagger-ui .btn:not(.authorize, .cancel, .execute),
.dark-mode .swagger-ui :is(.examples-select__section-label, .header-col, .response-col_links, .headers td) { color: #e4e6e6; }
.swagger-ui .response-col_links { display: none; }
.swagger-ui .request-sample { padding: 15px 20px; display: flow-root; }
.swagger-ui .request-sample h4 { margin: 0 0 8px; font: 700 14px sans-serif; color: #3b4151; }
.swagger-ui .request-sample div { display: inline-block; }
.swagger-ui .request-sample .btn { margin: 0 8px 8px 0; padding: 4px 14px; box-shadow: none; }
.swagger-ui .request-sample .btn[aria-pressed='true'] { background: #3b4151; border-color: #3b4151; color: #fff; }
.swagger-ui .request-sample .copy { float: right; margin-right: 0; }
.swagger-ui .request-sample pre {
  margin: 0; padding: 10px; max-height: 400px; overflow: auto; border-radius: 4px;
  background: #22262e; color: #fff; font: 600 12px/1.5 monospace; white-space: pre;
}
html:not(.dark-mode) .swagger-ui .info .title small { background: #5a6170; }
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #4c6b02; }
html:not(.dark-mode) .swagger-ui :is(.info a, .info .url, .opblock-tag a, .info .title + a) { color: #0b5cad; }
html:not(.dark-mode) .swagger-ui .btn.authorize { color: #14703f; border-color: #14703f; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #14703f; }
.swagger-ui .opblock .opblock-summary-method { color: #fff; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1a66b3; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #14703f; }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #96500a; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0b6f61; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e; }
@media (max-width: 640px) {
  .swagger-ui .filter .operation-filter-input { width: 100%; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag a { flex: 1; }
  .swagger-ui .opblock-tag small { flex: 1 0 100%; order: 1; padding: 4px 0 0; }
  .swagger-ui .opblock-tag > div:empty { display: none; }
}
.dark-mode .swagger-ui .request-sample h4 { color: #e4e6e6; }
.dark-mode .swagger-ui .request-sample .btn[aria-pressed='true']:not(.copy) { background: #e4e6e6; border-color: #e4e6e6; color: #1c2022; }
`;

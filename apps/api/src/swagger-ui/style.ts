/** Styles that Swagger UI lacks: visible focus, readable text in dark mode, and the look of request samples. */
export const swaggerStyle = `
html { box-sizing: border-box; overflow-y: scroll; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; background: #fafafa; }
.masthead { display: flex; justify-content: space-between; align-items: center; padding: 10px 20px; background: #1f2a6b; font: 600 18px/1.3 system-ui, sans-serif; }
.masthead a { color: #fff; text-decoration: none; display: inline-flex; align-items: center; gap: 10px; min-height: 32px; }
.masthead nav a { font-size: 14px; font-weight: 400; margin-left: 16px; text-decoration: underline; }
.masthead a:focus-visible { outline: 3px solid #7cc4ff; outline-offset: 2px; border-radius: 3px; }
.dark-mode { scrollbar-color: #6b7178 #1c2022; }
[hidden] { display: none !important; }
body .swagger-ui .info { margin: 32px 0; max-width: 900px; }
body .swagger-ui .info .facts { margin: 4px 0 16px; }
body .swagger-ui .info summary { width: fit-content; padding: 5px 0; cursor: pointer; font: 600 14px sans-serif; color: #3b4151; }
.dark-mode .swagger-ui .info summary { color: #e4e6e6; }
#list summary { list-style: none; }
#list summary::-webkit-details-marker { display: none; }
#list summary::after { content: ''; width: 9px; height: 9px; margin: -4px 5px 0 auto; border: solid #3b4151; border-width: 0 2px 2px 0; transform: rotate(45deg); }
#list [open] summary::after { margin-top: 4px; transform: rotate(225deg); }
.dark-mode #list summary::after { border-color: #e4e6e6; }
#list .filter { display: block; }
#list .filter input { width: 100%; max-width: none; }
#list main > details > div { scroll-margin-top: 70px; }
#list summary h2 { margin: 0; font: inherit; }
#list .opblock { display: block; text-decoration: none; }
#list .opblock[aria-busy] { cursor: progress; opacity: .7; }
#list .load-problem { margin: 8px 0 16px; padding: 10px 14px; border-left: 4px solid #b3261e; background: #fdecea; color: #7a1712; font: 14px/1.5 sans-serif; }
.dark-mode #list .load-problem { border-color: #ff9a94; background: #3b1f1e; color: #ffdad6; }
@media (scripting: none) { #list :is(.scheme-container, .filter) { display: none; } }
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
.swagger-ui :is(.parameter__in, .prop-format, table.headers .header-example, .response-undocumented) { color: #565d68; }
html:not(.dark-mode) .swagger-ui :is(.json-schema-2020-12-expand-deep-button, .json-schema-2020-12__attribute--muted, [class^='json-schema-2020-12'] :is(p, code), [class^='json-schema-2020-12'][class*='--secondary']) { color: #464d58; }
html:not(.dark-mode) .swagger-ui .download-contents { background: #4a515c; }
html:not(.dark-mode) .swagger-ui :is(input, textarea):not(.invalid) { border-color: #7d8492; }
.dark-mode .swagger-ui textarea:not(.invalid) { border-color: #b7bcbf; }
html:not(.dark-mode) .swagger-ui .json-schema-2020-12__constraint--string { background: #7a5200; }
.dark-mode .swagger-ui :is(.parameter__in, .prop-format, table.headers .header-example, .response-undocumented) { color: #b8bec6; }
.swagger-ui :is(.markdown, .renderedMarkdown) code { background: #0000000f; color: inherit; }
html.dark-mode .swagger-ui :is(.markdown, .renderedMarkdown) code { background: #ffffff1a; color: inherit; }
.swagger-ui .parameter__name.required span, .swagger-ui .parameter__name.required::after { color: #b3261e; }
.swagger-ui .try-out__btn.cancel { border-color: #b3261e; color: #b3261e; }
html.dark-mode .swagger-ui .opblock .opblock-section-header .try-out__btn.cancel { border-color: #ff9a94; color: #ff9a94; }
.swagger-ui .btn.execute { border-color: #1a66b3; background: #1a66b3; }
.swagger-ui .microlight span[style*='rgb(211, 99, 99)'] { color: #ffa3a3 !important; }
.swagger-ui .microlight span[style*='rgb(136, 136, 136)'] { color: #b8bec6 !important; }
.swagger-ui .headers-of-response summary { width: fit-content; padding: 5px 0; cursor: pointer; font: 700 12px/1.5 sans-serif; color: #3b4151; }
.swagger-ui .headers-of-response .headers__title { display: none; }
.dark-mode .swagger-ui .headers-of-response summary { color: #e4e6e6; }
.swagger-ui .error-of-response .response-col_description > div { display: flex; align-items: start; justify-content: space-between; gap: 12px; }
.swagger-ui .error-of-response code { font-size: 12px; overflow-wrap: anywhere; word-break: normal; }
.swagger-ui .error-of-response .btn { flex: none; padding: 3px 12px; font-size: 12px; box-shadow: none; }
.swagger-ui .error-of-response .btn::after { content: ''; display: inline-block; width: 7px; height: 7px; margin: 0 1px 3px 8px; border: solid currentColor; border-width: 0 2px 2px 0; transform: rotate(45deg); }
.swagger-ui .error-of-response .btn[aria-expanded='true']::after { margin-bottom: -1px; transform: rotate(225deg); }
.swagger-ui .example-of-error .response-col_status { visibility: hidden; }
.swagger-ui .example-of-error .response-col_description__inner { display: none; }
@media (prefers-reduced-motion: reduce) { .swagger-ui *, .swagger-ui *::before { transition: none !important; animation: none !important; } }
html:not(.dark-mode) .swagger-ui :is(.info a, .opblock-tag a, .error-of-response a) { color: #0b5cad; }
html.dark-mode .swagger-ui .error-of-response a { color: #7cc4ff; }
html:not(.dark-mode) .swagger-ui .btn.authorize { color: #14703f; border-color: #14703f; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #14703f; }
.swagger-ui .opblock .opblock-summary-method { color: #fff; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1a66b3; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #14703f; }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #96500a; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0b6f61; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e; }
@media (max-width: 640px) {
  .swagger-ui .filter .operation-filter-input { width: 100%; max-width: none; }
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag a { flex: 1; }
  .swagger-ui .opblock-tag small { flex: 1 0 100%; order: 1; padding: 4px 0 0; }
  .swagger-ui .opblock-tag > div:empty { display: none; }
  .swagger-ui .opblock .opblock-section-header { flex-wrap: wrap; row-gap: 8px; }
  .swagger-ui .opblock-section-header .try-out__btn { margin-left: 8px; padding: 5px 14px; }
  .swagger-ui table.parameters thead { display: none; }
  .swagger-ui :is(table.parameters, table.parameters tbody, [data-param-name], [data-property-name], .parameters-col_name, .parameters-col_description) { display: block; width: auto; }
  .swagger-ui table tbody tr .parameters-col_name { padding: 12px 0 4px; overflow-wrap: anywhere; }
  .swagger-ui .parameters-col_name > div { display: inline-block; margin-right: 8px; }
  .swagger-ui table tbody tr .parameters-col_description { margin: 0; padding: 0 0 8px; }
  .swagger-ui .parameters-col_description :is(input, select) { width: 100%; max-width: none; }
  .swagger-ui .error-of-response .btn { flex: none; padding: 3px 8px; font-size: 0; }
  .swagger-ui .error-of-response .btn::after { margin-left: 1px; }
}
.dark-mode .swagger-ui .request-sample h4 { color: #e4e6e6; }
.dark-mode .swagger-ui .request-sample .btn[aria-pressed='true']:not(.copy) { background: #e4e6e6; border-color: #e4e6e6; color: #1c2022; }
`;

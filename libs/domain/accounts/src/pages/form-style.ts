import { layout, palettes, variables } from '@passwright/wallet-renderers';

/** The style sheet of the pages behind the links in mails. */
export const formSheet = `
:root { color-scheme: light dark; ${variables(palettes.light)} }
@media (prefers-color-scheme: dark) { :root { ${variables(palettes.dark)} } }
${layout}
body { padding-top: clamp(1rem, 10vh, 6rem); }
main { max-width: 27rem; gap: .75rem; }
.sheet { display: grid; gap: 1.25rem; padding: 1.75rem 1.5rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--panel); }
h1 { font-size: 1.5rem; }
.place, .small { font-size: .875rem; color: var(--muted); }
.place { padding: 0 1.5rem; overflow-wrap: anywhere; }
.brand { display: flex; gap: .75rem; align-items: center; }
.brand strong { display: block; color: var(--text); font-size: 1rem; }
.mark { flex: none; display: grid; place-items: center; width: 2.5rem; height: 2.5rem; border-radius: .625rem; background: var(--button);
  color: var(--buttonText); font-weight: 700; font-size: 1.125rem; }
.text { display: grid; gap: .75rem; }
strong { font-weight: 600; overflow-wrap: anywhere; }
form { display: grid; gap: 1.25rem; }
.field { display: grid; gap: .375rem; }
label { font-weight: 600; }
.hint { font-size: .875rem; color: var(--muted); }
.error { font-size: .9375rem; font-weight: 600; color: var(--endedText); }
.control { display: flex; gap: .5rem; }
input { flex: 1; min-width: 0; width: 100%; min-height: 3rem; padding: .625rem .875rem; border: 1px solid var(--muted); border-radius: .75rem;
  background: var(--panel); color: var(--text); font: inherit; }
input:read-only { background: var(--page); border-color: var(--line); color: var(--muted); }
input[aria-invalid="true"] { border: 2px solid var(--endedText); }
input:focus-visible { outline: 3px solid var(--link); outline-offset: 1px; border-radius: .75rem; }
button { font: inherit; cursor: pointer; }
.show { flex: none; min-width: 4.5rem; min-height: 3rem; padding: 0 .75rem; border: 1px solid var(--muted); border-radius: .75rem; background: none; color: var(--text); }
form > .button { width: 100%; }
@media (max-width: 30rem) {
  body { min-height: 100vh; min-height: 100svh; padding: 1rem .75rem 2rem; display: grid; align-content: center; }
  main { width: 100%; }
  .sheet { padding: 1.5rem 1.125rem; }
  .place { padding: 0 1.125rem; }
}
@media (forced-colors: active) { .button, .sheet, .state { border: 1px solid; } }
`;

import { layout, palettes, variables } from '@passwright/wallet-renderers';

/** The style sheet of the app's own pages. */
export const sheet = `
:root { color-scheme: light dark; ${variables(palettes.light)} }
@media (prefers-color-scheme: dark) { :root { ${variables(palettes.dark)} } }
${layout}
body { padding: clamp(1.5rem, 8vh, 5rem) 1rem 3rem; }
main { max-width: 40rem; gap: 1.5rem; }
main.error { max-width: 32rem; }
h1 { font-size: clamp(1.5rem, 5vw, 2rem); letter-spacing: -.01em; }
h2 { font-size: 1.125rem; }
ol, ul { margin: 0; padding: 0; list-style: none; }
code { font: .9375em/1.4 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.brand { display: flex; align-items: center; gap: 1rem; }
.brand img { flex: none; }
.muted { color: var(--muted); }
.lead { font-size: 1.125rem; }
.sheet { display: grid; gap: 1rem; padding: 1.5rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--panel); }
.sheet > .muted, .list .muted { font-size: .9375rem; }
.steps { display: grid; gap: 1.25rem; counter-reset: step; }
.steps li { display: grid; grid-template-columns: 2rem minmax(0, 1fr); gap: .125rem .875rem; counter-increment: step; }
.steps li::before { content: counter(step); grid-row: span 2; display: grid; place-content: center; width: 2rem; height: 2rem;
  border-radius: 50%; background: var(--button); color: var(--buttonText); font-weight: 600; }
.steps a, .list a { font-weight: 600; }
.list { display: grid; gap: .875rem; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem 1.25rem; align-items: center; }
.actions .button { padding-inline: 1.5rem; }
.text { display: grid; gap: .75rem; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .375rem 1rem; padding-top: 1rem;
  border-top: 1px solid var(--line); font-size: .875rem; }
.facts dt { color: var(--muted); }
@media (max-width: 30rem) {
  .sheet { padding: 1.25rem 1.125rem; }
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd + dt { margin-top: .5rem; }
  .actions .button { flex: 1 1 100%; }
}
@media (forced-colors: active) { .button, .sheet, .state, .steps li::before { border: 1px solid; } }
@media print { :root { color-scheme: light; ${variables(palettes.light)} } body { padding: 0; } }
`;

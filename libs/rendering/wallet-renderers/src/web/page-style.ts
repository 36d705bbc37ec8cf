import { passLayout } from './pass-style.js';
import type { PassColours } from './readable-colours.js';

/**
 * The colours of the page around the card. Each pair for text has a contrast of at least 4.5 (WCAG 2.2 AA), which a
 * spec measures.
 */
export const palettes = {
  light: {
    page: '#f5f5f7',
    panel: '#ffffff',
    text: '#1d1d1f',
    muted: '#55555c',
    line: '#c9c9d1',
    link: '#0a4fb3',
    button: '#1d1d1f',
    buttonText: '#ffffff',
    good: '#e6f4ea',
    goodText: '#13592c',
    waiting: '#fff4d6',
    waitingText: '#6b4a00',
    ended: '#fdecea',
    endedText: '#8c1d18',
  },
  dark: {
    page: '#121214',
    panel: '#1d1d21',
    text: '#f2f2f5',
    muted: '#b4b4bd',
    line: '#46464f',
    link: '#8ab8ff',
    button: '#f2f2f5',
    buttonText: '#121214',
    good: '#0f3320',
    goodText: '#9be7b4',
    waiting: '#3a2c00',
    waitingText: '#ffdd8a',
    ended: '#3b1513',
    endedText: '#ffb4ab',
  },
} as const;

/** Returns a palette as custom properties. */
export function variables(palette: Record<string, string>): string {
  return Object.entries(palette)
    .map(([name, value]) => `--${name}: ${value};`)
    .join(' ');
}

/** The common style of all pages. It also suits right-to-left languages. */
export const layout = `
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; padding: 1rem 1rem 3rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 24rem; margin: 0 auto; display: grid; gap: 1rem; }
h1, h2, p, dl, dd, figure { margin: 0; }
h1, h2, p, dt, dd, figcaption { overflow-wrap: anywhere; }
h1, h2 { line-height: 1.25; text-wrap: balance; }
dd { white-space: pre-wrap; }
img, svg { display: block; max-width: 100%; }
a { color: var(--link); text-underline-offset: .2em; }
:focus-visible { outline: 3px solid var(--text); outline-offset: 3px; border-radius: .25rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.state, .note { padding: .75rem 1rem; border-radius: .75rem; }
.state { font-weight: 600; }
.state::before { content: ""; display: inline-block; width: .625rem; height: .625rem; margin-inline-end: .625rem;
  border-radius: 50%; background: currentColor; }
.state.ended::before { height: .1875rem; border-radius: 0; vertical-align: middle; }
.state.waiting::before { background: none; border: .1875rem solid; }
.state.good { background: var(--good); color: var(--goodText); }
.state.waiting, .note { background: var(--waiting); color: var(--waitingText); }
.state.ended { background: var(--ended); color: var(--endedText); }
.note { font-size: .875rem; }
.button, .other, .action { display: flex; align-items: center; justify-content: center; min-height: 3rem; padding: .625rem 1rem;
  border-radius: .75rem; text-align: center; }
.add .button, .add .other, .all .button, .all .other { border-radius: 1.5rem; }
.add .other, .all .other { border: 1px solid var(--muted); font-weight: 600; text-decoration: none; color: var(--text); }
.button { border: 1px solid var(--button); font-weight: 600; text-decoration: none; background: var(--button);
  color: var(--buttonText); }
.action { border: 1px solid var(--line); font-weight: 600; text-decoration: none; background: var(--panel); }
.button:hover, .other:hover, .action:hover { text-decoration: underline; }
.details, .elsewhere { padding: 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--panel); }
.details h2 { font-size: 1.125rem; margin-bottom: .5rem; }
.details div + div { margin-top: .75rem; padding-top: .75rem; border-top: 1px solid var(--line); }
[dir="ltr"] [dir="auto"] { text-align: left; }
[dir="rtl"] [dir="auto"] { text-align: right; }
.details dt { font-size: .875rem; color: var(--muted); }
.elsewhere { display: none; align-items: center; gap: 1rem; }
.elsewhere .qr { flex: none; width: 7rem; padding: 0; }
.qr { background: #fff; color: #000; border-radius: .5rem; forced-color-adjust: none; }
`;

/** The style of the page around a pass. A state that needs no attention, such as valid, is not emphasised. */
const pageLayout = `
.state.good { padding: 0 .25rem; background: none; color: var(--muted); font-weight: 400; font-size: .9375rem; }
.state.good::before { background: var(--goodText); }
#side, .add, .buttons { display: grid; gap: 1rem; align-content: start; min-width: 0; }
.add, .buttons { gap: .75rem; }
.badge { justify-self: center; padding: .5rem; }
.badge img { width: auto; height: 3.5rem; }
.buttons { margin: 0; padding: 0; list-style: none; }
.in-app { display: grid; gap: .5rem; font-size: 1rem; }
.related ul { margin: 0; padding: 0; list-style: none; display: grid; gap: .75rem; }
.related li > a, .related li > div { display: flex; gap: .75rem; align-items: center; min-height: 3rem; text-decoration: none; overflow-wrap: anywhere; }
.related li b { display: block; }
.related li a b { text-decoration: underline; }
.related li span span, .related li p { color: var(--muted); font-size: .875rem; }
.related img { flex: none; width: 2.5rem; height: 2.5rem; object-fit: contain; border-radius: .5rem; }
.address { padding: .5rem .75rem; border-radius: .5rem; background: var(--panel); color: var(--text);
  font: .875rem/1.4 ui-monospace, Menlo, Consolas, monospace; -webkit-user-select: all; user-select: all; }
.refusal { padding-top: 20vh; }
.refusal section { display: grid; gap: .75rem; padding: 1.5rem; border: 1px solid var(--line); border-radius: 1rem;
  background: var(--panel); }
.refusal section::before { content: ''; width: 4rem; aspect-ratio: 8 / 5; border: 2px dashed var(--muted); border-radius: .5rem; opacity: .6; }
.refusal h1 { font-size: 1.375rem; }
.request-id { font-size: .875rem; color: var(--muted); overflow-wrap: anywhere; }
@media (min-width: 40rem) { .elsewhere { display: flex; } }
@media (hover: none) and (pointer: coarse) { .elsewhere { display: none; } }
@media (min-width: 56rem) {
  body { padding-top: 3rem; }
  main:not(.refusal) { max-width: 50rem; grid-template-columns: 24rem minmax(0, 1fr); column-gap: 2rem; align-items: start; }
  .state, .in-app, .messages { grid-column: 1 / -1; }
}
`;

const mediaRules = `
@media (prefers-reduced-motion: no-preference) { .button { transition: opacity .15s; } .button:active { opacity: .8; } }
@media (forced-colors: active) {
  .pass, .state, .note, .button, .other, .action { border: 1px solid; }
  .pass { -webkit-mask: none !important; mask: none !important; }
  .pass .background { display: none; }
}
@media print {
  @page { margin: 15mm; }
  :root { color-scheme: light; ${variables(palettes.light)} }
  body { padding: 0; background: none; font-size: 11pt; }
  main, main:not(.refusal) { display: block; max-width: 34rem; }
  .add, .buttons, .related, .in-app, #development, .pass .logo, .pass .banner, .pass .artwork, .pass .background { display: none; }
  .state { padding: 0; margin-bottom: 1rem; background: none !important; color: #000 !important; }
  .pass { border: 1px solid #000; border-radius: .5rem !important; box-shadow: none; -webkit-mask: none !important; mask: none !important;
    background: none; color: #000; }
  .pass dt { color: #000; }
  .pass header { padding-top: 1rem !important; }
  .pass .beside-logo { display: block; }
  .pass figure .qr { width: 7cm; }
  .pass figure.wide .qr { width: 100%; }
  .pass figcaption[dir] { width: 100%; }
  .details { margin-top: 1rem; padding: 0; border: 0; background: none; }
  .pass, .details div { break-inside: avoid; }
  a { color: #000; }
}
`;

/** The style sheet of every pass page. The colours are in a separate sheet. */
export const pageSheet = `
:root { color-scheme: light dark; ${variables(palettes.light)} }
@media (prefers-color-scheme: dark) { :root { ${variables(palettes.dark)} } }
${layout}${pageLayout}${passLayout}${mediaRules}`;

/** Returns the CSS declarations of a pass's colours. The page's script replaces them if the colours change. */
export function colourRule({ foreground, background, label, picture }: PassColours): string {
  return `--foreground:${foreground};--background:${background};--label:${label};--picture:${picture}`;
}

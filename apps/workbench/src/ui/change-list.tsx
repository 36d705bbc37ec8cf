import { type Change, inWords } from '../model/changes.js';

/** The changes of a save, property by property. */
export function ChangeList({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return <p class="muted">Nothing has changed.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Changes">
      <table class="changes">
        <thead>
          <tr>
            <th>Property</th>
            <th>Before</th>
            <th>After</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ path, before, after }) => (
            <tr key={path}>
              <td>
                <code>{path}</code>
              </td>
              <td class="before">{before === undefined ? '—' : <del>{inWords(before)}</del>}</td>
              <td class="after">{after === undefined ? '—' : <ins>{inWords(after)}</ins>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

import type { Context } from '../context.js';
import { exitCodes } from '../failures.js';
import { openWorkspace, type Compared } from './workspace.js';
import { differencesAsJson } from './property-differences.js';
import type { Standing } from './comparison.js';
import { counted, legendOf, type Row, View, widthOf } from './diff-view.js';

const says: Record<Exclude<Standing, 'same'>, Omit<Row, 'id'>> = {
  new: { mark: '+', says: 'only in the files; push creates it' },
  missing: { mark: '?', says: 'only on the service; pull fetches it' },
  different: { mark: '~', says: 'differs' },
  'changed in the file': { mark: '~', says: 'changed in the file; push applies it to the service' },
  'changed on the service': { mark: '~', says: 'changed on the service; pull writes it to the file' },
  'changed in both': { mark: '!', says: 'changed in the file and on the service' },
  archived: { mark: '!', says: 'archived on the service, but the file still exists' },
};

/** Runs `passwright templates diff`. The exit code is 3 if there are differences. */
export async function diffTemplates(context: Context, ids: readonly string[]): Promise<void> {
  const { output } = context;
  const { project, service, templates } = await openWorkspace(context, ids);
  const differing = templates.filter(({ standing }) => standing !== 'same');
  output.result({ url: service.url, same: differing.length === 0, templates: templates.map(asJson) });
  if (differing.length === 0) {
    output.line(
      templates.length === 0
        ? 'There are no templates, neither in the files nor on the service.'
        : `No changes: ${templates.length === 1 ? 'the template is' : `all ${templates.length} templates are`} the same in the files and on the service.`,
    );
    return;
  }
  context.exitCode = exitCodes.differences;
  output.line(output.style('dim', legendOf(context, { service, project, templates: differing })));
  output.line();
  showDiffering(new View(output), differing);
  output.line();
  const same = templates.length - differing.length;
  output.line(`${counted({ [differing.length === 1 ? 'differs' : 'differ']: differing.length, 'the same': same })}.`);
}

function showDiffering(view: View, differing: readonly Compared[]): void {
  for (const template of differing) {
    if (template.standing === 'same') continue;
    view.row({ id: template.id, ...says[template.standing] }, widthOf(differing));
    view.differences(template);
  }
}

function asJson({ id, standing, differences }: Compared): object {
  return { id, standing: standing.replaceAll(' ', '_'), differences: differencesAsJson(differences) };
}

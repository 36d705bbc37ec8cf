import type { Context } from '../context.js';
import type { Compared, Workspace } from './workspace.js';
import type { Finding } from './template-service.js';
import { counted, legendOf, type Row, View, widthOf } from './diff-view.js';

/** The planned action for one template. */
interface Step<Action extends string> extends Compared {
  action: Action;
  /** The findings of the template lint. */
  findings?: readonly Finding[];
}

/** The description of an action. */
export type Saying = Omit<Row, 'id'>;

interface Plan<Action extends string> {
  steps: readonly Step<Action>[];
  /** The descriptions of actions. A template whose action has no description is only counted. */
  says: Partial<Record<Action, Saying>>;
  /** The label of each count, with the actions that it counts. */
  numbers: Record<string, readonly Action[]>;
}

/** Shows the plan of a pull or push: first each template, then the counts. */
export function showPlan<Action extends string>(
  context: Context,
  workspace: Workspace,
  { steps, says, numbers }: Plan<Action>,
): void {
  const { output } = context;
  const view = new View(output);
  const rows = steps.flatMap((step) => {
    const saying = says[step.action];
    return saying ? { step, row: { id: step.id, ...saying } } : [];
  });
  if (rows.length > 0) {
    output.line(output.style('dim', legendOf(context, { ...workspace, templates: rows.map(({ step }) => step) })));
    output.line();
  }
  const width = widthOf(rows.map(({ row }) => row));
  for (const { step, row } of rows) {
    view.row(row, width);
    view.differences(step);
    view.findings(step.findings ?? []);
  }
  if (rows.length > 0) output.line();
  const counts = Object.entries(numbers).map(([what, actions]) => [
    what,
    steps.filter(({ action }) => actions.includes(action)).length,
  ]);
  const said = counted(Object.fromEntries(counts) as Record<string, number>);
  output.line(`${rows.length > 0 ? 'Plan' : 'Nothing to do'}: ${said || 'the service has no templates'}.`);
}

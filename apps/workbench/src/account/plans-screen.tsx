import type { AgentPlanResponse } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/page.js';
import { inLocalTime } from '../model/dates.js';
import { ChangeList } from '../ui/change-list.js';
import { Dialog, useQuestion } from '../ui/dialog.js';
import { List } from '../ui/list.js';
import { Empty, Failure, Heading } from '../ui/parts.js';
import { type Column, Table } from '../ui/table.js';
import { useTask } from '../ui/use-task.js';

/** The plans of agents with supervised API keys, which wait for a user to confirm them. */
export function PlansScreen() {
  const { session, user } = useWho();
  const [version, setVersion] = useState(0);
  return (
    <>
      <Heading
        title="Plans of agents"
        note="An agent with a supervised API key changes what exists only after a user has confirmed its plan."
      />
      {user === null ? (
        <Empty title="For users">An API key cannot confirm plans. Sign in with your e-mail and password.</Empty>
      ) : (
        <List
          id="plans"
          version={version}
          read={(cursor, signal) => session.api.listAgentPlans({ limit: 50, cursor, signal })}
          empty={<Empty title="No plans">No agent waits for a confirmation.</Empty>}
        >
          {(plans) => <PlanTable plans={plans} onDone={() => setVersion(version + 1)} />}
        </List>
      )}
    </>
  );
}

const columns: readonly Column<AgentPlanResponse>[] = [
  {
    head: 'Plan',
    cell: ({ tool, does }) => (
      <>
        <strong>{tool}</strong> {does}
      </>
    ),
  },
  {
    head: 'Of',
    isLabelled: true,
    cell: ({ templateId, passId }) => <code>{passId === null ? templateId : `${templateId}/${passId}`}</code>,
  },
  { head: 'API key', class: 'muted small', isLabelled: true, cell: ({ keyId }) => <code>{keyId}</code> },
  { head: 'Expires', class: 'muted', isLabelled: true, cell: ({ expiresAt }) => inLocalTime(expiresAt) },
];

function PlanTable({ plans, onDone }: { plans: readonly AgentPlanResponse[]; onDone: () => void }) {
  const { session } = useWho();
  const { asked, task, ask, close } = useQuestion<AgentPlanResponse>();
  const confirm = async ({ id: planId }: AgentPlanResponse) => {
    await session.api.confirmAgentPlan({ planId });
    ask(null);
    onDone();
  };
  return (
    <>
      <Table
        rows={plans}
        keyOf={({ id }) => id}
        columns={columns}
        actions={(plan) => <PlanActions plan={plan} onReview={() => ask(plan)} onDone={onDone} />}
      />
      {asked && (
        <Dialog
          title={`Let the agent call ${asked.tool}?`}
          action="Confirm"
          isDangerous
          task={task}
          onConfirm={() => task.run(() => confirm(asked))}
          onClose={close}
        >
          <p>{asked.does}</p>
          <Changes plan={asked} />
        </Dialog>
      )}
    </>
  );
}

/** The buttons of a plan. Rejecting needs no question, because the agent can plan the call again. */
function PlanActions(props: { plan: AgentPlanResponse; onReview: () => void; onDone: () => void }) {
  const { plan, onReview, onDone } = props;
  const { session } = useWho();
  const task = useTask();
  const what = `${plan.tool} of ${plan.templateId ?? ''}`;
  const reject = async () => {
    await session.api.rejectAgentPlan({ planId: plan.id });
    onDone();
  };
  return (
    <>
      <Failure error={task.error} />
      {plan.confirmedAt === null ? (
        <button type="button" aria-label={`Review ${what}`} onClick={onReview}>
          Review
        </button>
      ) : (
        <span class="muted">Confirmed</span>
      )}
      <button type="button" aria-label={`Reject ${what}`} disabled={task.isRunning} onClick={() => task.run(reject)}>
        Reject
      </button>
    </>
  );
}

type PlannedChanges = Record<string, { from?: unknown; to?: unknown; isLong?: boolean }>;

/** The changes of a template with their values, except long ones, and those of a pass by name alone. */
function Changes({ plan: { changes, passId } }: { plan: AgentPlanResponse }) {
  const entries = Object.entries(changes as PlannedChanges);
  const namesOf = (some: typeof entries) => some.map(([name]) => name).join(', ');
  if (entries.length === 0) return null;
  if (passId !== null) return <p>It changes {namesOf(entries)}. The values of passes are not shown here.</p>;
  const long = entries.filter(([, { isLong }]) => isLong);
  const shown = entries.filter(([, { isLong }]) => !isLong);
  return (
    <>
      {shown.length > 0 && (
        <ChangeList changes={shown.map(([path, { from, to }]) => ({ path, before: from, after: to }))} />
      )}
      {long.length > 0 && (
        <p>
          <strong>Too long to show:</strong> {namesOf(long)}. Ask the agent for the new values before you confirm.
        </p>
      )}
    </>
  );
}

import type { AgentPlanResponse } from '@passwright/client';
import { useState } from 'preact/hooks';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import type { Change } from '../model/changes.js';
import { inLocalTime } from '../model/dates.js';
import { plannedChanges } from '../model/plan.js';
import { ChangeList } from '../ui/change-list.js';
import { Dialog, useQuestion } from '../ui/dialog.js';
import { List } from '../ui/list.js';
import { Empty, Failure, Heading, Loading } from '../ui/parts.js';
import { type Column, Table } from '../ui/table.js';
import { useLoad } from '../ui/use-load.js';
import { type Task, useTask } from '../ui/use-task.js';

/** The number of changes that the page shows at first, and that each click on «Show more» adds. */
const CHANGES_AT_ONCE = 50;

/** The plans of supervised keys. Each plan waits for a user to confirm it. */
export function PlansScreen() {
  const { session, user } = useWho();
  const [version, setVersion] = useState(0);
  return (
    <>
      <Heading
        title="Agent plans"
        note="An agent with a supervised key can change existing templates and passes only after a user has confirmed its plan."
      />
      {user === null ? (
        <Empty title="For users">An API key cannot confirm plans. Sign in with your e-mail and password.</Empty>
      ) : (
        <List
          id="plans"
          version={version}
          read={(cursor, signal) => session.api.listAgentPlans({ limit: 50, cursor, signal })}
          empty={<Empty title="No agent plans">No agent waits for a confirmation.</Empty>}
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
    cell: (plan) => <Target plan={plan} />,
  },
  { head: 'API key', class: 'muted small', isLabelled: true, cell: ({ keyId }) => <code>{keyId}</code> },
  { head: 'Expires', class: 'muted', isLabelled: true, cell: ({ expiresAt }) => inLocalTime(expiresAt) },
];

/** Links to the template or pass that a plan changes. */
function Target({ plan: { templateId, passId } }: { plan: AgentPlanResponse }) {
  const path = [templateId, passId].filter((id) => id !== null);
  return (
    <a href={addressOf(passId === null ? 'templates' : 'passes', ...path)}>
      <code>{path.join('/')}</code>
    </a>
  );
}

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
      {asked && <Review plan={asked} task={task} onConfirm={() => task.run(() => confirm(asked))} onClose={close} />}
    </>
  );
}

interface ReviewProps {
  readonly plan: AgentPlanResponse;
  readonly task: Task;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/**
 * Shows the values before and after the changes of a plan. A user can confirm the plan only after these values have
 * loaded.
 */
function Review({ plan, task, onConfirm, onClose }: ReviewProps) {
  const { session } = useWho();
  const { id: planId, tool, does } = plan;
  const details = useLoad(planId, (signal) => session.api.getAgentPlan({ planId, signal }));
  return (
    <Dialog
      title={`Let the agent call ${tool}?`}
      action="Confirm"
      isDangerous
      isReady={details.data !== null}
      {...{ task, onConfirm, onClose }}
    >
      <p>
        <Target plan={plan} />: {does}
      </p>
      {details.error === null && !details.data && <Loading />}
      <Failure error={details.error} onRetry={details.reload} />
      {details.data && <Changes changes={plannedChanges(details.data.changes)} />}
    </Dialog>
  );
}

/** The buttons of a plan. Rejecting a plan needs no confirmation, because the agent can plan the call again. */
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

/** The changes of a plan: the first ones, and more on request. */
function Changes({ changes }: { changes: readonly Change[] }) {
  const [count, setCount] = useState(CHANGES_AT_ONCE);
  if (changes.length === 0) return null;
  return (
    <>
      <ChangeList changes={changes.slice(0, count)} />
      {changes.length > count && (
        <p class="more">
          <strong>
            {count} of {changes.length} changes.
          </strong>{' '}
          <button type="button" onClick={() => setCount(count + CHANGES_AT_ONCE)}>
            Show more
          </button>
        </p>
      )}
    </>
  );
}

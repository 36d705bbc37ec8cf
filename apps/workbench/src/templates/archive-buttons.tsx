import type { ResponseOf } from '@passwright/client';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { Dialog, useQuestion } from '../ui/dialog.js';
import { go } from '../ui/route.js';

type Step = 'archive' | 'unarchive' | 'delete';

const steps = {
  archive: {
    action: 'Archive',
    title: 'Archive the template?',
    text: 'All its passes become void on phones, and no new ones can be issued until you un-archive it.',
  },
  unarchive: {
    action: 'Un-archive',
    title: 'Un-archive the template?',
    text: 'Its passes become valid again, except those that were voided one by one.',
  },
  delete: {
    action: 'Delete',
    title: 'Delete the template?',
    text: 'Only a template without passes can be deleted.',
  },
} as const;

/** Archives, un-archives and deletes a template. */
export function ArchiveButtons(props: { template: ResponseOf<'getTemplate'>; onDone?: () => void }) {
  const { id: templateId, archived } = props.template;
  const { session } = useWho();
  const { asked: step, task, ask, close } = useQuestion<Step>();
  const run = async (chosen: Step) => {
    if (chosen === 'archive') await session.api.archiveTemplate({ templateId });
    if (chosen === 'unarchive') await session.api.unarchiveTemplate({ templateId });
    if (chosen === 'delete') await session.api.deleteTemplate({ templateId });
    ask(null);
    if (chosen === 'delete') go(addressOf('templates'));
    else props.onDone?.();
  };
  return (
    <>
      <button type="button" onClick={() => ask(archived ? 'unarchive' : 'archive')}>
        {archived ? 'Un-archive' : 'Archive'}
      </button>
      <button type="button" onClick={() => ask('delete')}>
        Delete
      </button>
      {step && (
        <Dialog
          title={steps[step].title}
          action={steps[step].action}
          isDangerous={step !== 'unarchive'}
          task={task}
          onConfirm={() => task.run(() => run(step))}
          onClose={close}
        >
          <p>{steps[step].text}</p>
        </Dialog>
      )}
    </>
  );
}

import { etagOf, PreconditionFailed, type ResponseOf } from '@passwright/client';
import { useWho } from '../api/current-user.js';
import { addressOf } from '../model/screen-address.js';
import { changesBetween } from '../model/changes.js';
import type { Body } from '../model/template.js';
import { announce } from '../ui/announcer.js';
import { ChangeList } from '../ui/change-list.js';
import { Dialog } from '../ui/dialog.js';
import { go } from '../ui/route.js';
import { useTask } from '../ui/use-task.js';
import type { Stored } from './stored-template.js';

interface SaveProps {
  readonly templateId: string;
  readonly stored: Stored | null;
  readonly before: Body;
  readonly draft: Body;
  readonly onClose: () => void;
  readonly onStored?: (stored: Stored) => void;
}

/** Shows what a save changes, and saves. Never overwrites a change that another user has made in the meantime. */
export function SaveDialog({ templateId, stored, before, draft, onClose, onStored }: SaveProps) {
  const { session } = useWho();
  const task = useTask();
  const changes = changesBetween(before, draft);
  const save = async () => {
    if (stored) {
      const body = draft as unknown as Parameters<typeof session.api.upsertTemplate>[0]['body'];
      const template = await session.api.upsertTemplate({ templateId, body, ifMatch: stored.etag });
      onStored?.({ template, etag: etagOf(template) });
    } else {
      const path = `/v1/templates/${encodeURIComponent(templateId)}`;
      await session.request<ResponseOf<'getTemplate'>>('POST', path, draft, { 'If-None-Match': '*' });
      go(addressOf('templates', templateId));
    }
    announce(stored ? 'Saved.' : 'Created.');
    onClose();
  };
  return (
    <Dialog
      title={stored ? 'Save the changes?' : `Create ${templateId}?`}
      action={stored ? 'Save' : 'Create'}
      task={task}
      onConfirm={() => task.run(save)}
      onClose={onClose}
    >
      {stored ? (
        <p>These changes apply to every pass of this template, including those on phones.</p>
      ) : (
        <p>No pass is issued yet. You can change everything later except the id, and the type once a pass is issued.</p>
      )}
      {stored && changes.some(({ path }) => /^(fields|backFields)\./.test(path)) && (
        <p class="small">
          Passes with their own value of a field keep their own label too. To change those, use Replace a text under{' '}
          <a href={addressOf('passes', templateId)}>Passes</a>.
        </p>
      )}
      {stored && <ChangeList changes={changes} />}
      {task.error instanceof PreconditionFailed && (
        <p>{stored ? 'Copy your JSON, reload the template, and merge.' : 'The id is taken: choose another one.'}</p>
      )}
    </Dialog>
  );
}

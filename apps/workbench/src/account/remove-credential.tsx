import { announce } from '../ui/announcer.js';
import { Dialog, useQuestion } from '../ui/dialog.js';

interface RemoveProps {
  /** The credential in words, such as `certificate`. */
  readonly name: string;
  /** The consequence for passes. */
  readonly text: string;
  readonly remove: () => Promise<void>;
  readonly onDone: () => void;
}

/** Removes a credential that the account has uploaded, after the user confirms. */
export function RemoveCredential({ name, text, remove, onDone }: RemoveProps) {
  const { asked, task, ask, close } = useQuestion<true>();
  const run = async () => {
    await remove();
    announce('Removed.');
    ask(null);
    onDone();
  };
  return (
    <div class="actions">
      <button type="button" onClick={() => ask(true)}>
        Remove the {name}
      </button>
      {asked && (
        <Dialog
          title={`Remove the ${name}?`}
          action="Remove"
          isDangerous
          task={task}
          onConfirm={() => task.run(run)}
          onClose={close}
        >
          <p>{text}</p>
        </Dialog>
      )}
    </div>
  );
}

import { addressOf } from './model/screen-address.js';
import { Empty, Heading } from './ui/parts.js';

/** The screen of an address that no other screen has. @param address the fragment */
export function NotFoundScreen({ address }: { address: string }) {
  return (
    <>
      <Heading title="Not found" />
      <Empty
        title="There is no such screen"
        action={
          <a class="button" href={addressOf('templates')}>
            Open the templates
          </a>
        }
      >
        The workbench has no screen <code>{address}</code>. Check the address, or choose a section of the menu.
      </Empty>
    </>
  );
}

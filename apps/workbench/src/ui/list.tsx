import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Failure, Loading } from './parts.js';
import { useLoad } from './use-load.js';

/** A page of a list of the API. */
export interface PageOf<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

interface ListProps<T> {
  /** Identifies the list. A new id starts a new list. */
  readonly id: string;
  readonly read: (cursor: string | undefined, signal: AbortSignal) => Promise<PageOf<T>>;
  readonly empty: ComponentChildren;
  readonly children: (items: readonly T[]) => ComponentChildren;
  /** A new value reloads the list. */
  readonly version?: number | string;
}

/** A list of the API, page by page. */
export function List<T>({ id, read, empty, children, version = 0 }: ListProps<T>) {
  const [more, setMore] = useState<PageOf<T> | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const first = useLoad(`${id} ${version}`, (signal) => read(undefined, signal));
  useEffect(() => setMore(null), [first.data]);
  if (first.error !== null) return <Failure error={first.error} onRetry={first.reload} />;
  if (!first.data) return <Loading />;
  const items = [...first.data.data, ...(more?.data ?? [])];
  if (items.length === 0) return <>{empty}</>;
  const { nextCursor } = more ?? first.data;
  const readMore = async (cursor: string) => {
    try {
      const next = await read(cursor, new AbortController().signal);
      setMore({ data: [...(more?.data ?? []), ...next.data], nextCursor: next.nextCursor });
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <>
      {children(items)}
      <Failure error={failure} />
      {nextCursor !== null && (
        <p class="more">
          <button type="button" onClick={() => void readMore(nextCursor)}>
            Show more
          </button>
        </p>
      )}
    </>
  );
}

import type { SwaggerSystem } from './swagger-system.js';

/** The parts of Immutable.js that the plug-in uses. */
interface Group {
  get(name: 'operations'): { filter(keep: (operation: ListedOperation) => boolean): { readonly size: number } };
  set(name: 'operations', operations: unknown): Group;
}
interface Groups {
  map(change: (group: Group, name: string) => Group): { filter(keep: (group: Group) => boolean): unknown };
}
interface ListedOperation {
  get(name: 'path' | 'method'): string;
  getIn(names: ['operation', 'summary' | 'operationId']): string | undefined;
}
interface GroupProps {
  readonly tag: string;
  readonly layoutSelectors: { currentFilter(): unknown };
  readonly getConfigs: () => object;
}

/**
 * A Swagger UI plug-in with a search for operations by all words of their summary, id, method, path and group. It opens
 * what it finds. It leaves out the group `mcp`, whose operations are also in other groups. Runs in the browser, so it
 * uses nothing outside of itself.
 */
export function operationSearch({ React }: SwaggerSystem): object {
  const opsFilter = (groups: Groups, phrase: string): unknown => {
    const words = phrase.toLowerCase().split(/\s+/);
    const textOf = (operation: ListedOperation, group: string) =>
      [
        group,
        operation.getIn(['operation', 'summary']),
        operation.getIn(['operation', 'operationId']),
        operation.get('method'),
        operation.get('path'),
      ]
        .join(' ')
        .toLowerCase();
    const found = groups.map((group, name) => {
      const isFound = (operation: ListedOperation) => words.every((word) => textOf(operation, name).includes(word));
      return group.set('operations', group.get('operations').filter(isFound));
    });
    return found.filter((group) => (group.get('operations') as unknown as { size: number }).size > 0);
  };

  const grouped = (Group: unknown) => (props: GroupProps) => {
    if (props.tag === 'mcp') return null;
    const search = props.layoutSelectors.currentFilter();
    const isSearched = typeof search === 'string' && search !== '' && search !== 'true';
    const getConfigs = () => ({ ...props.getConfigs(), docExpansion: 'list' });
    return React.createElement(Group, isSearched ? { ...props, getConfigs } : props);
  };
  // Hide the introduction, which the page has itself, and webhooks, which readers cannot try.
  const hidden = () => () => null;
  // Hide the checkboxes of empty form fields, because Swagger UI would send checked fields with an empty value.
  const parts = { InfoContainer: hidden, ServersContainer: hidden, Webhooks: hidden, ParameterIncludeEmpty: hidden };
  return { fn: { opsFilter }, wrapComponents: { OperationTag: grouped, ...parts } };
}

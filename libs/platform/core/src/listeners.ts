const LISTENS = 'passwright:listens';

/** An abstract class by which a lib tells of its changes, or asks, without knowing the libs above it. */
export type ListenerClass<Listener extends object> = abstract new (...args: never[]) => Listener;

/** What finds providers: the `DiscoveryService` of Nest. */
export interface ProviderDiscovery {
  getProviders(): readonly { readonly instance: unknown }[];
}

/** Marks a provider as an implementation of a listener that a lower lib declares and calls. */
export function Listens<Listener extends object>(listener: ListenerClass<Listener>) {
  return (implementation: new (...args: never[]) => Listener): void =>
    Reflect.defineMetadata(LISTENS, listener, implementation);
}

/** The implementations of a listener, found among all providers by `@Listens` when they are first asked for. */
export class Listeners<Listener extends object> {
  private found: readonly Listener[] | undefined;

  constructor(
    private readonly discovery: ProviderDiscovery,
    private readonly listener: ListenerClass<Listener>,
  ) {}

  /** Complete once the app has created its providers, so not before `onModuleInit`. */
  get all(): readonly Listener[] {
    this.found ??= this.find();
    return this.found;
  }

  private find(): readonly Listener[] {
    // A provider under two tokens (`useExisting`) is one instance.
    const instances = new Set(this.discovery.getProviders().map(({ instance }) => instance));
    return [...instances].filter((instance): instance is Listener => {
      const { constructor } = Object(instance) as { readonly constructor?: unknown };
      return typeof constructor === 'function' && Reflect.getMetadata(LISTENS, constructor) === this.listener;
    });
  }
}

const LISTENS = 'passwright:listens';

/** An abstract class that a lib declares and calls, and that the libs above it implement. */
export type ListenerClass<Listener extends object> = abstract new (...args: never[]) => Listener;

/** A source of providers: Nest's `DiscoveryService`. */
export interface ProviderDiscovery {
  getProviders(): readonly { readonly instance: unknown }[];
}

/** Marks a provider as an implementation of a listener that a lower lib declares and calls. */
export function Listens<Listener extends object>(listener: ListenerClass<Listener>) {
  return (implementation: new (...args: never[]) => Listener): void =>
    Reflect.defineMetadata(LISTENS, listener, implementation);
}

/** The implementations of a listener: all providers marked with `@Listens`. The search runs at the first use. */
export class Listeners<Listener extends object> {
  private found: readonly Listener[] | undefined;

  constructor(
    private readonly discovery: ProviderDiscovery,
    private readonly listener: ListenerClass<Listener>,
  ) {}

  /**
   * Returns all implementations. The list is complete once the app has created its providers, so do not read it before
   * `onModuleInit`.
   */
  get all(): readonly Listener[] {
    this.found ??= this.find();
    return this.found;
  }

  private find(): readonly Listener[] {
    // A provider with two tokens (`useExisting`) counts once.
    const instances = new Set(this.discovery.getProviders().map(({ instance }) => instance));
    return [...instances].filter((instance): instance is Listener => {
      const { constructor } = Object(instance) as { readonly constructor?: unknown };
      return typeof constructor === 'function' && Reflect.getMetadata(LISTENS, constructor) === this.listener;
    });
  }
}

/** What of Swagger UI's plug-in system is used here; its own words for it. */
export interface SwaggerSystem {
  readonly React: {
    createElement(type: unknown, props: object | null, ...children: unknown[]): unknown;
    useEffect(effect: () => void, of: readonly unknown[]): void;
    useState<T>(first: T): [T, (next: T) => void];
  };
  readonly specSelectors: { specResolvedSubtree(path: string[]): { toJS(): ShownOperation } | undefined };
  readonly oas3Selectors: { selectedServer(): string };
  readonly fn: {
    getSampleSchema: (schema: unknown, mediaType: string | undefined, config: object, override?: unknown) => unknown;
    /** Of `exampleRequest`. */
    exampleRequest(path: string, method: string): ExampleRequest | null;
    /** Of `curlSample` and `fetchSample`. */
    readonly samples: Readonly<Record<string, (request: ExampleRequest) => string>>;
  };
}

/** An operation of the document, without `$ref`s. */
export interface ShownOperation {
  readonly parameters?: ShownParameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, ShownMedia>> };
  readonly security?: Readonly<Record<string, unknown>>[];
}

export interface ShownParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: string | number | boolean;
  readonly schema?: {
    readonly example?: string | number | boolean;
    readonly default?: string | number | boolean;
    readonly enum?: (string | number)[];
  };
}

export interface ShownMedia {
  readonly schema?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

/** A request made of examples. */
export interface ExampleRequest {
  readonly method: string;
  readonly url: string;
  /** `Bearer $TOKEN`: says where the reader's own goes, and never holds one. */
  readonly credential: string | null;
  readonly mediaType: string | null;
  readonly body: string;
}

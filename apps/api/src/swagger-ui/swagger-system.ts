/** The part of Swagger UI's plug-in system that our plug-ins use, with the names of Swagger UI. */
export interface SwaggerSystem {
  readonly React: {
    readonly Fragment: unknown;
    createElement(type: unknown, props: object | null, ...children: unknown[]): unknown;
    useEffect(effect: () => void, of: readonly unknown[]): void;
    useLayoutEffect(effect: () => void, of?: readonly unknown[]): void;
    useRef<T>(first: T): { current: T };
    useState<T>(first: T): [T, (next: T) => void];
  };
  readonly specSelectors: {
    specJson(): { getIn(path: readonly ['servers', 0, 'url']): string };
    specResolvedSubtree(path: string[]): { toJS(): ShownOperation } | undefined;
  };
  readonly specActions: {
    updateJsonSpec(document: object): void;
    updateResolvedSubtree(path: readonly string[], part: unknown): void;
  };
  readonly fn: {
    /** @param mediaType `false` for a part of a form */
    getSampleSchema: (
      schema: unknown,
      mediaType: string | false | undefined,
      config: object,
      override?: unknown,
    ) => unknown;
    /** Provided by the plug-in `completedParts`. @param around attributes of the element around the part */
    completed(
      part: unknown,
      attributesOf: (props: FieldProps) => Readonly<Record<string, Attributes>>,
      around: object,
    ): unknown;
    /** Provided by the plug-in `linkedCodes`. @returns Markdown */
    linkedCodes(description: string): string;
    /** Provided by the plug-in `withoutReferences`. */
    partWithoutReferences(document: object, path: readonly string[]): unknown;
    /** Provided by the plug-in `exampleRequests`. */
    exampleRequest(path: string, method: string): ExampleRequest | null;
    /** Provided by the plug-ins `sampleLanguages` and `pythonSample`. */
    readonly samples: Readonly<Record<string, (request: ExampleRequest) => string>>;
  };
}

/** Attributes to set, or to remove if they are null. */
export type Attributes = Readonly<Record<string, string | null>>;

/** A field of a form. */
export interface FieldProps {
  readonly description?: string;
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
  readonly description?: string;
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

/** A request built from examples. */
export interface ExampleRequest {
  readonly method: string;
  readonly url: string;
  /** The placeholder `Bearer $TOKEN`, never a real credential. */
  readonly credential: string | null;
  readonly mediaType: string | null;
  readonly body: string;
}

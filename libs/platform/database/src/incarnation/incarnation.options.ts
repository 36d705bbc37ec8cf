/** Options of `IncarnationModule.forRoot`. */
export abstract class IncarnationOptions {
  /** Set to false to look for a restore only on request, as command-line programs do. */
  abstract readonly watch?: boolean;
}

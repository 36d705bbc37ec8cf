/** Options of `IncarnationModule.forRoot`. */
export abstract class IncarnationOptions {
  /** False looks for a restore only when asked to: for programs beside the service. */
  abstract readonly watch?: boolean;
}

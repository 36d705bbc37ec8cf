/** The options of `RepairsModule.forRoot`, which are empty so far. */
export abstract class RepairsOptions {}

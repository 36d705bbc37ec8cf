/** The options of `RepairsModule.forRoot`. There are none yet. */
export abstract class RepairsOptions {}

/** Options of `RepairsModule.forRoot`: none so far. */
export abstract class RepairsOptions {}

// A sample of `npm run torture` on PostgreSQL; torture/sizes.ts says how large. Each run has a new seed, which the titles name.

import { testSample } from '../../test/support/torture-sample.ts'
import { POSTGRES_SCENARIOS } from '../../torture/scenarios/index.ts'

/** Filling the ledger takes too long. contention.test.ts shows that rows are found by index, however many there are. */
const ONLY_IN_FULL = 'rows-postgres'

testSample(POSTGRES_SCENARIOS.filter(({ name }) => name !== ONLY_IN_FULL))

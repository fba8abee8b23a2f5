// A sample of `npm run torture` on SQLite; torture/sizes.ts says how large. Each run has a new seed, which the titles name.

import { testSample } from '../../test/support/torture-sample.ts'
import { SQLITE_SCENARIOS } from '../../torture/scenarios/index.ts'

testSample(SQLITE_SCENARIOS)

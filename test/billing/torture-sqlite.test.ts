// A sample of `npm run torture` on SQLite; torture/sizes.ts says how large. Each run has a new seed, which the titles name.
import { SQLITE_SCENARIOS } from '../../torture/scenarios/index.ts'
import { testSample } from '../support/torture-sample.ts'

testSample(SQLITE_SCENARIOS)

// A sample of `npm run torture`; torture/sizes.ts says how large. Each run has a new seed, which the titles name.
import { testSample } from '../../test/support/torture-sample.ts'
import {
  crashConversationsPostgres,
  crashConversationsSqlite,
} from '../../torture/scenarios/crashes/crash-conversations.ts'

testSample([crashConversationsSqlite, crashConversationsPostgres])

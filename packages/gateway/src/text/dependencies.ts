// What calls of text models depend on.
import type { ConversationDependencies } from '../conversations/dependencies.ts'
import type { Latencies } from '../observe/latency-buckets.ts'
import type { RoutingDependencies } from '../routing/dependencies.ts'
import type { Reasoning } from '../storage/storage.ts'
import type { fetchPublic } from '../upstreams/public/fetch-public.ts'
import type { StatisticsByModel } from './billing/model-statistics.ts'
import type { Seals } from './translation/seals.ts'
import type { UnsupportedFields } from './translation/unsupported-fields.ts'

export type TextCallDependencies = RoutingDependencies &
  ConversationDependencies & {
    store: { reasoning: Reasoning }
    seals: Seals
    unsupportedFields: UnsupportedFields
    statistics: StatisticsByModel
    latencies: Pick<Latencies, 'note'>
    fetchPublic: typeof fetchPublic
  }

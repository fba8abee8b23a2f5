// Limits what operators ask of upstreams.
import { limitWork } from '../limit-work.ts'

const MOST_AT_ONCE = 4

export const limitCalls = limitWork(MOST_AT_ONCE, 'too_many_upstream_calls')

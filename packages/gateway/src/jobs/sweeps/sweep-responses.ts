// Removes stored responses and reasoning state that nothing needs any more, in small pages with pauses.
import type { Reasoning } from '../../storage/reasoning.ts'
import type { Responses } from '../../storage/responses.ts'
import type { Every } from '../every.ts'

const INTERVAL_MS = 60_000
const PAUSE_MS = 20
const PAGE = 50

type Swept = { responses: Pick<Responses, 'sweep'>; reasoning: Pick<Reasoning, 'sweep'> }

export function sweepResponses(every: Every, { responses, reasoning }: Swept): void {
  every(INTERVAL_MS, {
    name: 'remove old responses',
    scope: 'cluster',
    async run() {
      const removed = (await responses.sweep(PAGE)) + (await reasoning.sweep(PAGE))
      return removed > 0 ? PAUSE_MS : undefined
    },
  })
}

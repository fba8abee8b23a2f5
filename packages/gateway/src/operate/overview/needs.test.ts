import { expect, test } from 'bun:test'
import type { AlertFact } from '../../storage/storage.ts'
import { COMMAND_LINE } from '../operation.ts'
import { needsOf } from './needs.ts'

const DOWN: AlertFact = { rule: 'upstream_down', object: 'upstream main', amount: 1, total: 1 } as never
const ALERT = { rule: 'upstream_down', object: 'upstream main', value: 'every key fails', since: 5, firedAt: 6 }

const kindsFor = async (facts: readonly AlertFact[]): Promise<string[]> => {
  const none = async () => []
  const context = {
    actor: COMMAND_LINE,
    config: { upstreams: new Map([['main', { id: 'main', embedded: false }]]), models: new Map(), groups: new Map() },
    storage: {
      alerts: { facts: async () => facts, mutes: none, unresolved: async () => [ALERT] },
      nodes: { list: none },
      jobRuns: { list: none },
    },
  }
  const { needs } = await needsOf(context as never, { get: none } as never)
  return needs.map(({ kind, about }) => `${kind} ${about}`)
}

test('an upstream that is down is named once, and by its open alert where a restart has forgotten its health', async () => {
  expect(await kindsFor([DOWN])).toEqual(['upstream_down main'])
  expect(await kindsFor([])).toEqual(['alert upstream_down'])
})

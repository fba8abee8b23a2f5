import { describe, expect, test } from 'bun:test'
import { sandboxUpstream } from './sandbox.ts'
import type { Upstream } from './types.ts'
import { serviceOf } from './upstream-dialects.ts'
import { standardServices } from './upstream-kinds.ts'

describe('services of an upstream', () => {
  const sandbox = sandboxUpstream('toy')
  const rows: [string, Upstream, boolean][] = [
    ['the sandbox', sandbox, true],
    ['the sandbox in a dialect of OpenAI', { ...sandbox, dialect: 'responses' }, true],
    ['the sandbox in another dialect', { ...sandbox, dialect: 'messages' }, false],
    ['an upstream that has them', { ...sandbox, embedded: undefined, services: standardServices() } as never, true],
    ['an upstream that has others', { ...sandbox, embedded: undefined, services: {} } as never, false],
  ]
  test.each(rows)('%s', (_, upstream, has) => {
    expect(serviceOf(upstream, 'embeddings')).toEqual(has ? { path: '/embeddings' } : undefined)
  })
})

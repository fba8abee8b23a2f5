import { expect, test } from 'bun:test'
import type { Upstream } from '../../config/types.ts'
import type { Send } from '../send.ts'
import { checkUpstream } from './check-upstream.ts'

const silent: Send = (_upstream, { cancel }) =>
  new Promise((_resolve, reject) => {
    cancel.target = { cancel: () => reject(new Error('given up')) }
  })

test.each([
  { firstByteMs: 50, idleMs: 60_000, totalMs: 60_000 },
  { firstByteMs: 60_000, idleMs: 60_000, totalMs: 50 },
])('a silent upstream times out when a request would: %p', async (timeouts) => {
  const address = { id: 'deaf', kind: 'custom', baseUrl: 'http://127.0.0.1:9/v1', keys: ['key'] }
  const upstream = {
    ...address,
    endpoints: [{ dialect: 'chat', path: '/chat/completions', credential: 'bearer' }],
    timeouts,
  }
  const [check] = await checkUpstream(silent, upstream as unknown as Upstream, { name: 'any', type: 'text' })
  expect(check).toMatchObject({ ok: false, problem: 'http://127.0.0.1:9/v1: no response within 0.05 s' })
})

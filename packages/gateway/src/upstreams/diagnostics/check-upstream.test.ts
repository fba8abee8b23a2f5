import { expect, test } from 'bun:test'
import { createSandbox } from '@trivium/sandbox/handler.ts'
import { sandboxUpstream } from '../../config/sandbox.ts'
import type { Upstream } from '../../config/types.ts'
import { MODEL_TYPES, modalityOf } from '../../modalities/index.ts'
import { createSend, type Send } from '../send.ts'
import { checkUpstream, MODEL_CHECKS, typeAt } from './check-upstream.ts'

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

const CHECKED = MODEL_TYPES.filter((type) => MODEL_CHECKS[type] !== undefined)

test.each(CHECKED)('the embedded model of type %s passes, and tells what the call costs', async (type) => {
  const { sandbox, rateOf } = modalityOf(type)
  const send = createSend(createSandbox({ faults: false }))
  const rate = rateOf(sandbox.price, 1_000_000n)
  for (const check of await checkUpstream(send, sandboxUpstream('up'), { name: sandbox.id, type })) {
    expect(check).toMatchObject({ ok: true, problem: null, status: 200 })
    expect(check.costAt?.(rate)).toBeLessThanOrEqual(MODEL_CHECKS[type]?.bound(rate) ?? -1n)
  }
})

test('what a service answers is looked at', async () => {
  const page: Send = async () => ({ status: 200, header: () => null, read: once('{"data":[]}'), cancel() {} })
  const upstream = { ...sandboxUpstream('up'), keys: ['key'] }
  const checks = await checkUpstream(page, upstream, { name: 'any', type: 'embedding' })
  expect(checks).toMatchObject([{ ok: false, mode: 'service', problem: 'there is not one vector for each input' }])
})

test('a model of an upstream without text models is taken for one of its services', () => {
  const upstream = { ...sandboxUpstream('up'), embedded: undefined, services: { rerank: { path: '/rerank' } } }
  expect(typeAt(upstream as unknown as Upstream)).toBe('rerank')
})

function once(text: string): () => Promise<Uint8Array | undefined> {
  let rest: Uint8Array | undefined = new TextEncoder().encode(text)
  return async () => {
    const piece = rest
    rest = undefined
    return piece
  }
}

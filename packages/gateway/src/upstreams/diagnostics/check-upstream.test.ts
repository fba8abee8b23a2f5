import { expect, test } from 'bun:test'
import { createSandbox } from '@trivium/sandbox/handler.ts'
import { sandboxUpstream } from '../../config/sandbox.ts'
import { kindSettings } from '../../config/sections/upstream-kind.ts'
import type { Upstream } from '../../config/types.ts'
import { upstreamDefaults } from '../../config/upstream-defaults.ts'
import { MODEL_TYPES, modalityOf } from '../../modalities/index.ts'
import { plannedChecks } from '../certification/plan.ts'
import { bedrockMantle } from '../kinds/clouds.ts'
import { createSend, type Send } from '../send.ts'
import { type CheckedModel, checkUpstream, MODEL_CHECKS, typeAt } from './check-upstream.ts'
import { bodyOf } from './text-call.ts'

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

test.each([
  [
    'test',
    async (send: Send, upstream: Upstream, model: CheckedModel) => void (await checkUpstream(send, upstream, model)),
  ],
  [
    'certification',
    async (send: Send, upstream: Upstream, model: CheckedModel) => {
      for (const check of plannedChecks(upstream, [model])) if (!check.known) await check.run(send, upstream)
    },
  ],
])('a %s of an opaque name asks where the model behind it is asked', async (_, run) => {
  const address = 'https://bedrock-mantle.us-east-1.api.aws'
  const upstream = { ...upstreamDefaults('up'), ...kindSettings(bedrockMantle, address), keys: ['key'] }
  const dialectsOf = async (model: CheckedModel) => {
    const asked = new Set<string>()
    const send: Send = async (_, { body, dialect }) => {
      if (body) asked.add(dialect)
      return { status: 200, header: () => null, read: once('{}'), cancel() {} }
    }
    await run(send, upstream, model)
    return [...asked].filter((dialect) => dialect === 'messages')
  }
  expect(await dialectsOf({ name: 'mine', type: 'text' })).toEqual([])
  expect(await dialectsOf({ name: 'mine', type: 'text', baseModel: 'anthropic.claude-opus-4-8' })).toEqual(['messages'])
})

test('an opaque name is asked by the rules of the model behind it', () => {
  const asked = { parts: [{ type: 'text', text: 'Hello' }], maxOutput: 4_000, reasoning: { effort: 'low' } } as const
  const sent = (name: string, baseModel?: string) => {
    const { model, ...body } = Object(
      bodyOf(upstreamDefaults('up') as Upstream, 'generate-content', { name, baseModel }, asked),
    )
    expect(model ?? name).toBe(name)
    return body
  }
  expect(sent('mine', 'gemini-3-pro')).toEqual(sent('gemini-3-pro'))
  expect(sent('mine', 'gemini-2.5-flash')).toEqual(sent('gemini-2.5-flash'))
  expect(sent('mine', 'gemini-2.5-flash')).not.toEqual(sent('mine', 'gemini-3-pro'))
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

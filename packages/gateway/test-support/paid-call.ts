// For tests: a paid call that is authenticated, admitted and held, with a price per image.

import { testHeaders, testRequest } from '../../http/test-support/serve.ts'
import { authenticate } from '../src/access/authenticate.ts'
import { imageRate } from '../src/endpoints/images/modality/price.ts'
import { RequestRecord } from '../src/observe/request-record.ts'
import { admit } from '../src/paid-call/admit.ts'
import { fixedBound, placeHold } from '../src/paid-call/hold.ts'
import type { CallResult } from '../src/paid-call/outcome.ts'
import { PaidRequest } from '../src/paid-call/paid-request.ts'
import { endFailed, runPaidCall } from '../src/paid-call/run.ts'
import { settle } from '../src/paid-call/settle.ts'
import type { ApiRequest } from '../src/request/api-request.ts'
import { Attempt, KeyHealth } from '../src/upstreams/health/key-health.ts'
import { createTestDependencies } from './dependencies.ts'

export const PRICE = imageRate({ perImage: 40n, variants: new Map([['1024x1024', 60n]]) }, 1_500_000n)
/** Two of a size that is left open: at most 2 x 60 x 1.5. */
const REQUESTED = { count: 2, size: undefined, quality: undefined }

/** `client`: it gets the response; absent: there is none. */
export async function startPaidCall(client?: PaidRequest['client']) {
  const { deps: dependencies, ends } = createTestDependencies({ send: () => Promise.reject(new Error('not called')) })
  const receipts: string[] = []
  const { open } = dependencies.settler
  dependencies.settler.open = async (hold) => {
    const opened = await open(hold)
    if (opened.verdict !== 'open') return opened
    const { settle, void: voided } = opened.request
    const kept = {
      settle(...end: Parameters<typeof settle>) {
        receipts.push(end[3])
        return settle(...end)
      },
      void(...end: Parameters<typeof voided>) {
        receipts.push(end[1])
        return voided(...end)
      },
    }
    return { verdict: 'open', request: { ...opened.request, ...kept } }
  }
  const record = new RequestRecord('POST', '/v1/images/generations', '', 0)
  const headers = testHeaders()
  const http = testRequest('/v1/images/generations', { authorization: 'Bearer sk-0000000000000000' })
  const incoming: ApiRequest = { http, id: 7n, query: '', responseHeaders: headers, record }
  const caller = await authenticate(incoming, 'images', dependencies)
  const slot = await admit(incoming, caller, dependencies)
  const [route] = dependencies.catalogue().config.models.get('same')?.routes ?? []
  const upstream = dependencies.catalogue().config.upstreams.get('own')
  const bound = PRICE.bound(REQUESTED)
  if (!route || !upstream || bound === undefined) throw new Error('not a part of this test')
  const owner = dependencies.node.identity()
  const health = new KeyHealth()
  const upstreamSwitch = { state: 'enabled' } as const
  const candidate = { upstream, upstreamSwitch, route, key: 'k', health, priority: 1, weight: 1 }
  const offer = {
    model: { id: 'painter' },
    rate: PRICE,
    group: 'default',
    priceVersion: 'v1',
    configuration: '{}',
    candidates: [candidate],
    tiers: [],
    fallbacks: [],
  }
  const call = new PaidRequest(incoming, undefined, null)
  const upstreamCall = dependencies.upstreamCalls.start(upstream, caller.account)
  const attempt = {
    offer,
    candidate,
    dialect: 'images' as const,
    health: new Attempt(health, route.model, 0),
    warnings: [],
  }
  const routed = { wanted: offer, offer, candidate, upstreamCall, health: attempt.health }
  const prepared = { bound: fixedBound(bound), isExtensible: false }
  Object.assign(call, { client: client ?? http, caller, slot, owner, upstreamCall, attempt, routed, prepared })
  const held = await placeHold(call, dependencies)
  if (held.verdict !== 'open') throw new Error('not held')
  call.hold = held.request
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await runPaidCall(call, work, dependencies)
    } catch (error) {
      await endFailed(call, error, dependencies)
      throw error
    }
  }
  const settleFor = (count: number, size: string) => {
    const charge = PRICE.cost({ images: Array(count).fill({ size, quality: undefined }), requested: 2 })
    const result: CallResult = { outcome: 'completed', charges: charge ? [charge] : [], sawOutput: true }
    return settle(call, result, dependencies)
  }
  return { call, run, settleFor, ends, receipts, http, dependencies }
}

// Every route that reads waits for a slot before it asks the store for anything: the tables are walked, so that a new one cannot forget it.
import { describe, expect, test } from 'bun:test'
import { compileCidrs } from '@trivium/http/addresses/client-address.ts'
import { matchRoute } from '@trivium/protocol/match-route.ts'
import { ROUTES, type Route } from '@trivium/protocol/routes.ts'
import { testHeaders, testRequest } from '../../http/test-support/serve.ts'
import { TEST_CALLER } from '../test-support/dependencies.ts'
import type { ConsoleDependencies } from './console-api/dependencies.ts'
import { createDispatch } from './console-api/dispatch.ts'
import { CONSOLE_ROUTES } from './console-api/routes.ts'
import type { AppDependencies, Server } from './handler.ts'
import { MODALITIES } from './modalities/index.ts'
import { RequestRecord } from './observe/request-record.ts'
import type { Reads } from './overload/reads/reads.ts'
import { Failure } from './request/failure.ts'
import { handlerOf } from './routes.ts'

/** Slots of which none is free; notes which accounts asked for one. */
function fullReads() {
  const asked: bigint[] = []
  const reads: Reads = {
    async run(account) {
      asked.push(account)
      throw new Failure('rate_limit_exceeded', 'full', { retryAfter: 1 })
    },
    resume: () => Promise.reject(new Error('not a part of this test')),
  }
  return { asked, reads }
}
/** The store must not be reached. */
const UNREACHABLE = new Proxy({}, { get: (_, name) => raise(`the store was asked for ${String(name)}`) })
const raise = (message: string): never => {
  throw new Error(message)
}

const incomingAt = (path: string) => {
  const http = testRequest(path, { authorization: 'Bearer sk-0123456789abcdef', cookie: 'trivium_session=unknown' })
  const [target = '', query = ''] = path.split('?')
  return { http, id: 1n, query, responseHeaders: testHeaders(), record: new RequestRecord('GET', target, 'req_1', 0) }
}

const readRoutes = Object.entries(ROUTES as Record<string, Route>).filter(
  ([, { method, credential }]) => method === 'GET' && credential === 'key',
)

describe('reads with a key', () => {
  test('are lists of models, voices and tasks, stored responses, usage, receipts and the secret of callbacks', () => {
    expect(readRoutes.map(([id]) => id).toSorted()).toEqual([
      'callback-secret',
      'list-generate-content-models',
      'list-input-items',
      'list-models',
      'list-speech-models',
      'list-usage',
      'list-video-tasks',
      'list-voices',
      'litellm-key',
      'litellm-models',
      'show-generate-content-model',
      'show-model',
      'show-response',
      'show-usage',
      'show-video-task',
    ])
  })

  test.each(readRoutes.map(([id, { path }]) => [id, path.replace(/\{\w+\}/, 'some')]))('%s', async (_, path) => {
    const { asked, reads } = fullReads()
    const incoming = incomingAt(path)
    const handler = handlerOf(matchRoute(path), incoming.http, path)
    const callers = { find: () => TEST_CALLER, refresh: () => TEST_CALLER, clear: () => {} }
    const deps = {
      reads,
      callers,
      store: UNREACHABLE,
      catalogue: () => ({ config: { groups: new Map(), compatibility: { litellm: false } } }),
    } as unknown as AppDependencies
    const answer = (async () => handler(incoming, deps, 'some', {} as Server))()
    await expect(answer).rejects.toMatchObject({ info: { code: 'rate_limit_exceeded' } })
    expect(asked).toEqual([TEST_CALLER.account])
  })
})

const paidRoutes = Object.entries(ROUTES as Record<string, Route>).filter(([, { kind }]) => kind in MODALITIES)

describe('without a lease, a request that costs money is rejected before its key is looked up', () => {
  test.each(paidRoutes.map(([id, { path }]) => [id, path.replace(/\{\w+\}/, 'some')]))('%s', async (_, path) => {
    const incoming = incomingAt(path)
    const handler = handlerOf(matchRoute(path), { ...incoming.http, method: 'POST' }, path)
    const callers = { find: () => raise('the key was looked up') }
    const deps = { callers, store: UNREACHABLE, node: { mayDispatch: () => false } } as unknown as AppDependencies
    const answer = (async () => handler(incoming, deps, 'some', {} as Server))()
    await expect(answer).rejects.toMatchObject({ info: { code: 'service_unavailable', retryAfter: 2 } })
  })
})

describe('reads of the console', () => {
  const config = () => ({ server: {} })
  const catalogue = () => ({ trustedProxies: compileCidrs([]).cidrs })

  test.each(
    CONSOLE_ROUTES.filter(({ method, forwards, takesOwnSlot }) => method === 'GET' && !forwards && !takesOwnSlot).map(
      ({ path }) => path,
    ),
  )('%s', async (path) => {
    const { asked, reads } = fullReads()
    const deps = { reads, config, catalogue, store: UNREACHABLE } as unknown as ConsoleDependencies
    const incoming = incomingAt(`/console/api/${path.replace(/\{\w+\}/, 'some')}`)
    const answer = await createDispatch(deps)(incoming, path, () => raise('no read is forwarded'))
    expect([answer.status, incoming.responseHeaders.get('retry-after')]).toEqual([429, '1'])
    // The slot is taken for its network: no session has been looked up.
    expect(asked).toEqual([expect.any(BigInt)])
    expect((asked[0] ?? 0n) < 0n).toBe(true)
  })

  test('only sign-ins at a provider, which wait for others, have places of their own', () => {
    const waiting = CONSOLE_ROUTES.filter(({ method, takesOwnSlot }) => method === 'GET' && takesOwnSlot)
    expect(waiting.map(({ path }) => path)).toEqual(['sign-in/{provider}', 'sign-in/{provider}/callback'])
  })

  test('only the playground forwards to endpoints with queues of their own', () => {
    const forwarding = CONSOLE_ROUTES.filter(({ forwards }) => forwards)
    expect(forwarding.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET playground/{path...}',
      'POST playground/{path...}',
      'DELETE playground/{path...}',
    ])
  })
})

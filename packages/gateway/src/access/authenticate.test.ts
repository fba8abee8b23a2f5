import { describe, expect, test } from 'bun:test'
import { fakeTime } from '../../../../test/support/fake-time.ts'
import { TEST_CALLER } from '../../test-support/dependencies.ts'
import { Failure } from '../request/failure.ts'
import { type Caller, StoreDown } from '../storage/storage.ts'
import { createCallers, hashSecret, KEY_LOOKUP_MS, readApiKey, timedLookups } from './authenticate.ts'

const secret = (name: string | number) => `sk-${String(name).padStart(20, '0')}`

/** A store that counts the questions and answers them when it is told to. */
function countingStore(callers: Record<string, Partial<Caller>>) {
  const byHash = new Map(
    Object.entries(callers).map(([name, caller]) => [hashSecret(secret(name)).toString('hex'), caller]),
  )
  let asked = 0
  let gate: Promise<void> = Promise.resolve()
  return {
    asked: () => asked,
    waitFor: (next: Promise<void>) => {
      gate = next
    },
    async findCaller(hash: Uint8Array) {
      asked++
      await gate
      const found = byHash.get(Buffer.from(hash).toString('hex'))
      return found && { ...TEST_CALLER, ...found }
    },
  }
}

const codeOf = async (call: () => unknown) => {
  try {
    await call()
    return 'ok'
  } catch (error) {
    return error instanceof Failure ? error.info.code : String(error)
  }
}

describe('the cache of callers', () => {
  test('an outdated entry is looked up again, once for many concurrent requests', async () => {
    const store = countingStore({ a: {}, b: {} })
    const callers = createCallers(store, () => 0)
    const former = await callers.find(secret('a'))
    await callers.find(secret('b'))
    const anew = await Promise.all(Array.from({ length: 50 }, () => callers.refresh(secret('a'), former)))
    expect(store.asked()).toBe(3)
    for (const each of anew) expect(each).not.toBe(former)
    // A late refresh of the former entry gets the current one, without a lookup.
    expect(await callers.refresh(secret('a'), former)).toBe(await callers.find(secret('a')))
    await callers.find(secret('b'))
    expect(store.asked()).toBe(3)
  })

  test('clearing the cache notifies other caches of callers', () => {
    let cleared = 0
    createCallers(countingStore({}), () => 0, { onClear: () => cleared++ }).clear()
    expect(cleared).toBe(1)
  })

  test('concurrent requests with the same key share one lookup; later ones use the cache', async () => {
    const store = countingStore({ a: {} })
    const callers = createCallers(store, () => 0)
    const found = await Promise.all(Array.from({ length: 50 }, () => callers.find(secret('a'))))
    expect(new Set(found).size).toBe(1)
    expect(await callers.find(secret('a'))).toMatchObject({ account: 1n })
    expect(store.asked()).toBe(1)
  })

  test('an unknown key is cached, and a malformed one is not looked up', async () => {
    const store = countingStore({})
    const callers = createCallers(store, () => 0)
    for (let times = 0; times < 5; times++)
      expect(await codeOf(() => callers.find(secret('b')))).toBe('invalid_api_key')
    expect(store.asked()).toBe(1)
    for (const text of ['', 'sk-', 'sk-short', `${secret('b')} `, `sk-${'x'.repeat(300)}`, 'Bearer x'])
      expect(await codeOf(() => callers.find(text))).toBe('invalid_api_key')
    expect(store.asked()).toBe(1)
  })

  test('is bounded, and unknown keys do not evict valid ones', async () => {
    const store = countingStore(Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`r${index}`, {}])))
    const callers = createCallers(store, () => 0, { limit: 4 })
    await callers.find(secret('r0'))
    for (let index = 0; index < 100; index++) await codeOf(() => callers.find(secret(index)))
    const before = store.asked()
    await callers.find(secret('r0'))
    expect(store.asked()).toBe(before)
    for (const name of ['r1', 'r2', 'r3', 'r4', 'r0']) await callers.find(secret(name))
    expect(store.asked()).toBe(before + 5)
  })

  test('a store error is not cached', async () => {
    const store = countingStore({ a: {} })
    store.waitFor(Promise.reject(new Error('down')))
    const callers = createCallers(store, () => 0)
    expect(await codeOf(() => callers.find(secret('a')))).toBe('Error: down')
    store.waitFor(Promise.resolve())
    expect(await codeOf(() => callers.find(secret('a')))).toBe('ok')
  })

  test('a lookup that began before a change is not cached after it', async () => {
    const store = countingStore({ a: {} })
    const { promise, resolve } = Promise.withResolvers<void>()
    store.waitFor(promise)
    const callers = createCallers(store, () => 0)
    const early = callers.find(secret('a'))
    callers.clear()
    resolve()
    await early
    await callers.find(secret('a'))
    expect(store.asked()).toBe(2)
  })

  test.each([
    [{ deleted: true }, 'invalid_api_key'],
    [{ accountDisabled: true }, 'account_disabled'],
    [{ expiresAt: 1_000 }, 'api_key_expired'],
    [{ expiresAt: 1_001 }, 'ok'],
  ])('%j: %s', async (caller, expected) => {
    expect(await codeOf(() => createCallers(countingStore({ a: caller }), () => 1_000).find(secret('a')))).toBe(
      expected,
    )
  })

  test('a cached key expires by the clock', async () => {
    let now = 0
    const callers = createCallers(countingStore({ a: { expiresAt: 10 } }), () => now)
    expect(await codeOf(() => callers.find(secret('a')))).toBe('ok')
    now = 10
    expect(await codeOf(() => callers.find(secret('a')))).toBe('api_key_expired')
  })
})

test.each([
  [true, { 'x-litellm-api-key': 'Bearer a', authorization: 'Bearer b' }, 'a'],
  [true, { 'x-litellm-api-key': 'a' }, 'a'],
  [true, { authorization: 'Bearer b' }, 'b'],
  [false, { 'x-litellm-api-key': 'a', authorization: 'Bearer b' }, 'b'],
] as const)("LiteLLM's header comes first where its clients are served: %j, %j", (litellm, headers, expected) => {
  expect(readApiKey(new Headers(headers), '', 'chat', { litellm })).toBe(expected)
})

test.each([
  ['chat', { authorization: 'Bearer a' }, '', 'a'],
  ['chat', { authorization: 'bearer  a ' }, '', 'a'],
  ['chat', { authorization: 'Basic a', 'x-api-key': 'b' }, '', 'b'],
  ['chat', { authorization: 'Bearer a', 'x-api-key': 'b' }, 'key=c', 'a'],
  ['messages', { authorization: 'Bearer a', 'x-api-key': 'b' }, '', 'b'],
  ['generate-content', { authorization: 'Bearer a', 'x-goog-api-key': 'b' }, 'key=c', 'b'],
  ['generate-content', {}, 'alt=sse&key=c', 'c'],
] as const)('the key of a %s call with %j and ?%s', (dialect, headers, query, expected) => {
  expect(readApiKey(new Headers(headers), query, dialect, { litellm: false })).toBe(expected)
})

test('a lookup that the store does not answer is given up after 1.5 s', async () => {
  const { after, pass } = fakeTime()
  const lookups = timedLookups({ findCaller: () => new Promise(() => {}) }, after)
  let error: unknown
  lookups.findCaller(new Uint8Array(32)).catch((thrown) => (error = thrown))
  await pass(KEY_LOOKUP_MS - 1)
  expect(error).toBeUndefined()
  await pass(1)
  expect(error).toBeInstanceOf(StoreDown)
})

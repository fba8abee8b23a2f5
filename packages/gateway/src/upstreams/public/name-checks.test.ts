import { afterEach, expect, test } from 'bun:test'
import { createTicker } from '@trivium/http/ticker.ts'
import { createNameChecks, NAME_RESOLVER } from './name-checks.ts'

const { resolve } = NAME_RESOLVER
afterEach(() => {
  NAME_RESOLVER.resolve = resolve
})

const ticker = createTicker(5)
const [ADA, BOB] = [1n, 2n]
const names = (count: number, of: string) => Array.from({ length: count }, (_, index) => `${index}.${of}.example`)

test('a name is looked up once, also by many at a time, and its answer is kept for a while', async () => {
  const asked: string[] = []
  NAME_RESOLVER.resolve = async (name) => {
    asked.push(name)
    return ['10.0.0.1']
  }
  const checks = createNameChecks(ticker)
  const found = await Promise.all([checks.privateAmong(['a.example'], ADA), checks.privateAmong(['a.example'], BOB)])
  expect([...found, await checks.privateAmong(['a.example'], ADA)]).toEqual(Array(3).fill(new Set(['a.example'])))
  expect(asked).toEqual(['a.example'])
})

test('lookups that do not end are limited per account, and never keep another account from its own', async () => {
  const pending: (() => void)[] = []
  NAME_RESOLVER.resolve = (name) =>
    name.includes('slow')
      ? new Promise((done) => pending.push(() => done(['10.0.0.1'])))
      : Promise.resolve([name.includes('inside') ? '10.0.0.1' : '93.184.216.34'])
  const checks = createNameChecks(ticker)
  const slow = checks.privateAmong(names(16, 'slow'), ADA)
  expect(await checks.privateAmong(['inside.example'], ADA)).toBe('busy')
  expect(await checks.privateAmong(['inside.example', 'outside.example'], BOB)).toEqual(new Set(['inside.example']))
  // These have timed out, and are not known to be public; they still count until they end.
  expect(await slow).toEqual(new Set(names(16, 'slow')))
  expect(await checks.privateAmong(['other.example'], ADA)).toBe('busy')
  for (const done of pending) done()
  await Bun.sleep(0)
  expect(await checks.privateAmong(['0.slow.example', 'outside.example'], ADA)).toEqual(new Set(['0.slow.example']))
})

test('lookups are limited in all; what has not been looked up in time, or cannot be, is not known to be public', async () => {
  let running = 0
  NAME_RESOLVER.resolve = () => {
    running++
    return new Promise(() => {})
  }
  const checks = createNameChecks(ticker)
  const all = Array.from({ length: 6 }, (_, account) =>
    checks.privateAmong(names(16, `of-${account}`), BigInt(account)),
  )
  expect(running).toBe(64)
  const found = await Promise.all(all)
  expect(found.slice(0, 4)).toEqual([0, 1, 2, 3].map((account) => new Set(names(16, `of-${account}`))))
  expect(found.slice(4)).toEqual(['busy', 'busy'])
})

test('a name that leads nowhere here may lead somewhere there; the own name of an upstream is then not taken for a private one', async () => {
  NAME_RESOLVER.resolve = (name) =>
    name === 'none.example' ? Promise.resolve([]) : Promise.reject(new Error('no DNS'))
  const checks = createNameChecks(ticker)
  const both = ['none.example', '127.0.0.1.nip.io']
  expect(await checks.privateAmong(both, ADA)).toEqual(new Set(both))
  expect(await Promise.all(both.map((name) => checks.isPrivate(name)))).toEqual([false, false])
})

test('lookups of callers that do not end keep no upstream from being known as private', async () => {
  NAME_RESOLVER.resolve = (name) => (name === 'own.example' ? Promise.resolve(['10.0.0.1']) : new Promise(() => {}))
  const checks = createNameChecks(ticker)
  const all = [0, 1, 2, 3].map((account) => checks.privateAmong(names(16, `of-${account}`), BigInt(account)))
  expect(await checks.isPrivate('own.example')).toBe(true)
  await Promise.all(all)
})

test('an upstream stays private while its name leads nowhere, and is taken for private while that takes too long', async () => {
  let answer: Promise<readonly string[]> = Promise.resolve(['10.0.0.1'])
  NAME_RESOLVER.resolve = () => answer as ReturnType<typeof resolve>
  let now = 0
  const checks = createNameChecks({ ...ticker, now: () => now } as typeof ticker)
  const later = () => {
    now += 60_000
    return checks.isPrivate('own.example')
  }
  expect(await later()).toBe(true)
  answer = Promise.reject(new Error('no DNS'))
  expect(await later()).toBe(true)
  answer = Promise.resolve(['93.184.216.34'])
  expect(await later()).toBe(false)
  answer = Promise.reject(new Error('no DNS'))
  expect(await later()).toBe(false)
  NAME_RESOLVER.resolve = () => new Promise(() => {})
  expect(await createNameChecks(ticker).isPrivate('own.example')).toBe(true)
})

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
  // These have timed out, and are not known to be private; they still count until they end.
  expect(await slow).toEqual(new Set())
  expect(await checks.privateAmong(['other.example'], ADA)).toBe('busy')
  for (const done of pending) done()
  await Bun.sleep(0)
  expect(await checks.privateAmong(['0.slow.example', 'outside.example'], ADA)).toEqual(new Set(['0.slow.example']))
})

test('lookups are limited in all; what is not looked up is not known to be private', async () => {
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
  expect(await Promise.all(all)).toEqual(Array(6).fill(new Set()))
})

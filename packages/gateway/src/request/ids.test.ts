import { expect, test } from 'bun:test'
import { createIds, formatRequestId, parseRequestId, timeOfId } from './ids.ts'

const NOW = Date.UTC(2026, 0, 2)

test('ids are unique and ordered, at any rate and wherever the clock jumps', () => {
  let now = NOW
  const ids = createIds(
    () => 3,
    () => now,
  )
  const made: bigint[] = []
  for (let times = 0; times < 10_000; times++) made.push(ids.next())
  now -= 60_000
  for (let times = 0; times < 10; times++) made.push(ids.next())
  now += 120_000
  made.push(ids.next())
  expect(made.every((id, index) => index === 0 || id > (made[index - 1] ?? 0n))).toBe(true)
  expect(timeOfId(made.at(-1) ?? 0n)).toBe(now)
})

test('a clock that is set back is reported once, until it has caught up', () => {
  let now = NOW
  const leads: number[] = []
  const ids = createIds(
    () => 0,
    () => now,
    (leadMs) => leads.push(leadMs),
  )
  const jump = (ms: number) => {
    now += ms
    ids.next()
    ids.next()
  }
  for (const ms of [0, -4_000, 5_000, -60_000, 10_000, 60_000, -60_000]) jump(ms)
  expect(leads).toEqual([60_000, 60_000])
})

test('two nodes never create the same id', () => {
  const [one, two] = [0, 1_023].map((nodeId) =>
    createIds(
      () => nodeId,
      () => NOW,
    ),
  )
  const made = [one, two].flatMap((ids) => Array.from({ length: 5_000 }, () => ids?.next()))
  expect(new Set(made).size).toBe(10_000)
})

test('the written form can be read back, and fits a signed column', () => {
  const last = createIds(
    () => 1_023,
    () => Date.UTC(2093, 0, 1),
  ).next()
  expect(parseRequestId(formatRequestId(0n))).toBeUndefined()
  for (const id of [
    1n,
    createIds(
      () => 7,
      () => NOW,
    ).next(),
    last,
  ]) {
    expect(formatRequestId(id)).toMatch(/^req_[0-9a-f]{16}$/)
    expect(parseRequestId(formatRequestId(id))).toBe(id)
    expect(id).toBeLessThan(2n ** 63n)
  }
  for (const text of ['', 'req_', 'req_8000000000000000', 'req_000000000000000G', 'req_00000000000000000', 'x'])
    expect(parseRequestId(text)).toBeUndefined()
})

import { expect, test } from 'bun:test'
import { retryAfterIn } from './upstream-errors.ts'

const NOW = Date.UTC(2026, 0, 1)

test.each<[Record<string, string>, number | undefined]>([
  [{ 'retry-after': '20' }, 20],
  [{ 'retry-after': '3.5' }, 3.5],
  [{ 'retry-after': new Date(NOW + 20_000).toUTCString() }, 20],
  [{ 'retry-after': new Date(NOW - 20_000).toUTCString() }, undefined],
  [{ 'retry-after-ms': '1500' }, 1.5],
  [{ 'retry-after-ms': '1500', 'retry-after': '2' }, 1.5],
  [{ 'retry-after-ms': 'soon', 'retry-after': '2' }, 2],
  [{ 'retry-after': '0' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{}, undefined],
])('%j: retry in %p s', (headers, seconds) => {
  expect(retryAfterIn({ header: (name) => headers[name] ?? null }, NOW)).toBe(seconds)
})

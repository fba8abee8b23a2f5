import { expect, test } from 'bun:test'
import { retryAfterIn, withOwnName } from './upstream-errors.ts'

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

test.each([
  ['The model `m` does not exist.', 'm', 'The model `mine` does not exist.'],
  ['models/gpt-4o is not found', 'gpt-4o', 'models/mine is not found'],
  ['gpt-4o-mini is not gpt-4o.', 'gpt-4o', 'gpt-4o-mini is not mine.'],
  ['a.b and axb', 'a.b', 'mine and axb'],
])('the name of a model at the upstream is replaced where it stands alone: %s', (message, name, shown) => {
  expect(withOwnName(message, name, 'mine')).toBe(shown)
})

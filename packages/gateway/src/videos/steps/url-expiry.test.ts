import { expect, test } from 'bun:test'
import { urlExpiry } from './url-expiry.ts'

const FINISHED = Date.UTC(2026, 0, 2, 3, 4, 5)
const HOUR = 3_600_000

test.each([
  ['no query', 'https://cdn.example/v.mp4', 24 * HOUR],
  ['not a URL', '', 24 * HOUR],
  ['Amazon', 'https://cdn.example/v.mp4?X-Amz-Date=20260102T030405Z&X-Amz-Expires=3600&X-Amz-Signature=x', HOUR],
  ['Volcengine', 'https://cdn.example/v.mp4?X-Tos-Date=20260102T030405Z&X-Tos-Expires=7200', 2 * HOUR],
  ['Google', 'https://cdn.example/v.mp4?x-goog-date=20260102T030405Z&x-goog-expires=60', 60_000],
  ['absolute', `https://cdn.example/v.mp4?Expires=${FINISHED / 1_000 + 600}`, 600_000],
  ['a time in the past', 'https://cdn.example/v.mp4?Expires=1000', 24 * HOUR],
  ['milliseconds', `https://cdn.example/v.mp4?Expires=${FINISHED + 600_000}`, 24 * HOUR],
  ['nonsense', 'https://cdn.example/v.mp4?Expires=soon&X-Tos-Date=now&X-Tos-Expires=later', 24 * HOUR],
])('%s', (_, url, after) => {
  expect(urlExpiry(url, FINISHED)).toBe(FINISHED + after)
})

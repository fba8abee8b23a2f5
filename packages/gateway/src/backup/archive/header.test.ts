import { expect, test } from 'bun:test'
import { decodeHeader, encodeHeader } from './header.ts'

test.each([0, 1, 511, 8 ** 11 - 1, 8 ** 11, 2 ** 45])('a member of %d bytes has a header that can be read', (size) => {
  expect(decodeHeader(encodeHeader({ name: 'tables/x.jsonl', size }, 1))).toEqual({ name: 'tables/x.jsonl', size })
})

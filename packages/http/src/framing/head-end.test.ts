import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { headEnd } from './head-end.ts'

test('the end of a head is found wherever it is, and nowhere else', () => {
  const parts = fc.array(fc.constantFrom('\r', '\n', '\r\n', '\r\n\r\n', 'a', 'abc'), { maxLength: 12 })
  fc.assert(
    fc.property(parts, fc.nat(20), (parts, from) => {
      const bytes = Buffer.from(parts.join(''))
      expect(headEnd(bytes, from)).toBe(from > bytes.length ? -1 : bytes.indexOf('\r\n\r\n', from))
    }),
    { numRuns: 3000, seed: 1 },
  )
})

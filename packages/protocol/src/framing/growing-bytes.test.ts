import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { growingBytes } from './growing-bytes.ts'

/** Sizes on both sides of what is kept as it is. */
const size = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 16_000, max: 17_000 }))
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ verb: fc.constant('append' as const), size }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constantFrom('peek' as const, 'take' as const, 'drop' as const) }) },
)

test('any input in any chunks, read in between or not: the bytes are the same', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const bytes = growingBytes()
      let expected = Buffer.alloc(0)
      let next = 0
      for (const each of steps) {
        if (each.verb === 'append') {
          const piece = Uint8Array.from({ length: each.size }, () => next++ & 0xff)
          bytes.append(piece)
          expected = Buffer.concat([expected, piece])
        } else if (each.verb === 'peek') expect(Buffer.from(bytes.peek()).equals(expected)).toBe(true)
        else {
          if (each.verb === 'take') expect(Buffer.from(bytes.take()).equals(expected)).toBe(true)
          else bytes.drop()
          expected = Buffer.alloc(0)
        }
        expect([bytes.length, ...bytes.tail(4)]).toEqual([expected.length, ...expected.subarray(-4)])
      }
    }),
  )
})

test('taken bytes are not changed by later ones', () => {
  const bytes = growingBytes()
  bytes.append(Uint8Array.of(1, 2))
  bytes.append(Uint8Array.of(3))
  const taken = bytes.take()
  bytes.append(Uint8Array.of(4, 5, 6, 7))
  bytes.append(new Uint8Array(50))
  expect([...taken]).toEqual([1, 2, 3])
})

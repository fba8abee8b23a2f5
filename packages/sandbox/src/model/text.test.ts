import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { joined, piecesOf, untilStop } from './text.ts'
import { fitBytes, utf8Bytes } from './tokens.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '北', '🙂'), maxLength: 60 })
const stops = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ' ', '🙂'), minLength: 1, maxLength: 4 }), {
  maxLength: 4,
})
const whole = (piece: string) => Buffer.from(piece).toString() === piece

test('chunks add up to the text, and never split a character', () => {
  fc.assert(
    fc.property(text, (given) => {
      const pieces = [...piecesOf(given)]
      expect(pieces.join('')).toBe(given)
      expect(pieces.every(whole)).toBe(true)
      expect([...joined(pieces, 10)].join('')).toBe(given)
    }),
  )
})

test('the text ends before the first stop sequence, wherever the chunks are cut', () => {
  fc.assert(
    fc.property(text, stops, (given, sequences) => {
      const found = sequences.map((stop) => given.indexOf(stop)).filter((at) => at >= 0)
      const expected = found.length === 0 ? given : given.slice(0, Math.min(...found))
      for (const cut of [piecesOf(given), [...given], [given]]) {
        const kept = [...untilStop(cut, sequences)]
        expect(kept.join('')).toBe(expected)
        expect(kept.every(whole)).toBe(true)
      }
    }),
  )
})

test('the longest prefix of whole characters that fits is kept', () => {
  fc.assert(
    fc.property(text, fc.nat(80), (given, bytes) => {
      const kept = fitBytes(given, bytes)
      const next = [...given.slice(kept.length)][0]
      expect(given.startsWith(kept) && whole(kept) && utf8Bytes(kept) <= bytes).toBe(true)
      if (next !== undefined) expect(utf8Bytes(kept + next)).toBeGreaterThan(bytes)
    }),
  )
})

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { textOfBase64, utf8Bytes, utf8Length } from './utf8.ts'

test('a text as bytes, how many they are, and the text again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const bytes = Buffer.from(text)
      expect(utf8Length(text)).toBe(bytes.length)
      expect(utf8Bytes(text)).toEqual([...bytes])
      expect(textOfBase64(bytes.toString('base64'))).toBe(text)
    }),
  )
})

test('half a character is what an encoder makes of it', () => {
  expect(utf8Bytes('a\ud800b')).toEqual([...Buffer.from('a\ud800b')])
})

test('bytes that are no text are none', () => {
  expect(textOfBase64(Buffer.from([0xff, 0xfe, 0x00]).toString('base64'))).toBeUndefined()
})

test('a long text is put together from pieces', () => {
  const text = 'höhe 北 '.repeat(20_000)
  expect(textOfBase64(Buffer.from(text).toString('base64'))).toBe(text)
})

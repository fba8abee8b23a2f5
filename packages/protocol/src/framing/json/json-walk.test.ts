import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { bytesOf } from '../../../fixtures/buffer-codec.ts'
import { textLength } from './json-walk.ts'

test('the length of a JSON string is that of the text it stands for', () => {
  const escaped = (text: string) =>
    text.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.boolean(), (text, ascii) => {
      const json = ascii ? escaped(JSON.stringify(text)) : JSON.stringify(text)
      const bytes = bytesOf(`[${json}]`)
      expect(textLength(bytes, 1, bytes.length - 1)).toBe(Buffer.byteLength(text))
    }),
  )
})

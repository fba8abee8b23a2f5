// Vectors in the other of their two forms: numbers, or base64 of 32-bit floats.

import type { VectorEncoding, Vectors } from '@trivium/protocol/dialects/shared/embeddings/embedding.ts'
import { nextTurn } from '../overload/reads/in-turns.ts'

const OPEN_BRACKET = 0x5b

export const encodingOf = (vector: Uint8Array): VectorEncoding => (vector[0] === OPEN_BRACKET ? 'float' : 'base64')

const COMMA = 0x2c

/** How many numbers it has. */
export function lengthOf(vector: Uint8Array = new Uint8Array()): number {
  if (encodingOf(vector) === 'base64') return Buffer.from(Buffer.from(vector).toString(), 'base64').length / 4
  return vector.reduce((count, byte) => (byte === COMMA ? count + 1 : count), 1)
}

/** Other requests are served after so many bytes. */
const BYTES_AT_ONCE = 256 * 1024

/** undefined: one of them is no vector. */
export async function convertVectors(vectors: Vectors, encoding: VectorEncoding): Promise<Vectors | undefined> {
  const converted: Uint8Array[] = []
  let bytes = 0
  for (const vector of vectors) {
    const other = encodingOf(vector) === encoding ? vector : convert(vector, encoding)
    if (!other) return undefined
    converted.push(other)
    bytes += vector.length
    if (bytes < BYTES_AT_ONCE) continue
    bytes = 0
    await nextTurn()
  }
  return converted
}

function convert(vector: Uint8Array, encoding: VectorEncoding): Uint8Array | undefined {
  const text = Buffer.from(vector.buffer, vector.byteOffset, vector.length).toString()
  try {
    const value: unknown = JSON.parse(text)
    return encoding === 'base64' ? base64Of(value) : numbersOf(value)
  } catch {
    return undefined
  }
}

function base64Of(value: unknown): Uint8Array | undefined {
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'number')) return undefined
  const floats = Buffer.allocUnsafe(value.length * 4)
  for (const [index, each] of value.entries()) floats.writeFloatLE(each, index * 4)
  return Buffer.from(`"${floats.toString('base64')}"`)
}

function numbersOf(value: unknown): Uint8Array | undefined {
  const floats = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined
  if (!floats || floats.length === 0 || floats.length % 4 !== 0) return undefined
  const numbers = Array.from({ length: floats.length / 4 }, (_, index) => floats.readFloatLE(index * 4))
  return numbers.every(Number.isFinite) ? Buffer.from(`[${numbers.join(',')}]`) : undefined
}

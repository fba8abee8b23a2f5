// Rows as text that both engines can be filled from: one JSON array for each row, in lines. An integer beyond 2^53 is { "int": "digits" },
// bytes are { "base64": "..." }; all other values are JSON's own.
import type { Value } from './copy.ts'

const write = (value: Value): unknown => {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : { int: String(value) }
  if (value instanceof Uint8Array)
    return { base64: Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64') }
  return value
}

function read(value: unknown): Value {
  if (value === null || typeof value === 'string') return value
  if (Number.isSafeInteger(value)) return BigInt(value as number)
  const { int, base64 } = value as { int?: unknown; base64?: unknown }
  if (typeof int === 'string') return BigInt(int)
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64')
  throw new TypeError('a row has a value of an unknown form')
}

export const encodeRow = (row: readonly Value[]): string => `${JSON.stringify(row.map(write))}\n`
export const decodeRow = (line: string): Value[] => (JSON.parse(line) as unknown[]).map(read)

/** The rows of a member in batches, whatever the pieces in which its bytes come. */
export async function* decodeRows(pieces: AsyncIterable<Uint8Array>, atOnce: number): AsyncGenerator<Value[][]> {
  let batch: Value[][] = []
  for await (const line of linesOf(pieces)) {
    batch.push(decodeRow(line))
    if (batch.length < atOnce) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function* linesOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  // A row of megabytes comes in many pieces: they are joined once.
  let begun: string[] = []
  for await (const piece of pieces) {
    const [first = '', ...others] = decoder.decode(piece, { stream: true }).split('\n')
    begun.push(first)
    for (const next of others) {
      yield begun.join('')
      begun = [next]
    }
  }
  if (begun.join('') !== '') throw new Error('the last row is incomplete')
}

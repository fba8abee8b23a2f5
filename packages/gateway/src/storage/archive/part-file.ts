// The files of an archive: JSON lines with zstd, one line for each row, as in backups (copying/rows.ts). A file is a sequence of zstd frames, so
// that any zstd program reads it whole, and a reader here gets a thousand rows without the others. The first frame has one line: the table
// and its columns.
import { timeOfId } from '../../money/request-ids.ts'
import type { Value } from '../copying/copy.ts'
import { decodeRow, encodeRow } from '../copying/rows.ts'
import { integer, type Row, small } from '../fields.ts'
import { COUNTED_COLUMNS } from '../sql/budgets/rows.ts'

export type Kind = 'request' | 'transfer'

export const COLUMNS: Readonly<Record<Kind, readonly string[]>> = {
  request: [
    ...(['id', 'account', 'key', 'node_id', 'epoch', 'deadline', 'state', 'held', 'held_at', 'tokens'] as const),
    ...(['progress', 'cost', 'shortfall', 'model', 'upstream', 'upstream_cost', 'outcome', 'receipt'] as const),
    // Files of earlier versions end before these.
    ...COUNTED_COLUMNS,
  ],
  transfer: ['id', 'request', 'debit', 'credit', 'amount', 'reason', 'at', 'reference'],
}

export const ROWS_OF_BLOCK = 1_000
const LEVEL = 6

/** Ids and times of its first and last row; where its frame is. */
export type Block = { first: bigint; last: bigint; from: number; to: number; start: number; end: number }

export type PartFile = { bytes: Uint8Array; sha256: string; blocks: Block[]; rows: number }

/** The time by which lists look for a row. */
export const timeOf = (kind: Kind, row: Row): number => (kind === 'request' ? timeOfId(integer(row.id)) : small(row.at))

export type PartWriter = {
  add(rows: readonly Row[]): Promise<void>
  end(): PartFile
  readonly blocks: readonly Block[]
}

/** Rows are added block by block, in the order of their ids. */
export async function openPart(kind: Kind): Promise<PartWriter> {
  const columns = COLUMNS[kind]
  const head = await compress(`${JSON.stringify({ table: kind, columns })}\n`)
  const frames = [head]
  const blocks: Block[] = []
  let [rows, start] = [0, head.length]
  return {
    blocks,
    async add(block) {
      const lines = block.map((row) => encodeRow(columns.map((column) => (row[column] ?? null) as Value)))
      const frame = await compress(lines.join(''))
      frames.push(frame)
      const times = block.map((row) => timeOf(kind, row))
      const [first, last] = [integer(block[0]?.id), integer(block.at(-1)?.id)]
      const [from, to] = [Math.min(...times), Math.max(...times)]
      blocks.push({ first, last, from, to, start, end: start + frame.length })
      start += frame.length
      rows += block.length
    },
    end() {
      const bytes = Buffer.concat(frames)
      return { bytes, sha256: sha256(bytes), blocks, rows }
    },
  }
}

/** `contains`: only lines with this text. */
export async function decodeBlock(kind: Kind, frame: Uint8Array, contains?: string): Promise<Row[]> {
  const columns = COLUMNS[kind]
  const text = Buffer.from(await Bun.zstdDecompress(frame as Uint8Array<ArrayBuffer>)).toString()
  const rows: Row[] = []
  for (const line of text.split('\n')) {
    if (line === '' || (contains !== undefined && !line.includes(contains))) continue
    const values = decodeRow(line)
    rows.push(Object.fromEntries(columns.map((column, place) => [column, values[place] ?? null])))
  }
  return rows
}

export const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

export const writeBlocks = (blocks: readonly Block[]): string =>
  JSON.stringify(
    blocks.map(({ first, last, from, to, start, end }) => [String(first), String(last), from, to, start, end]),
  )

export const readBlocks = (text: string): Block[] =>
  (JSON.parse(text) as [string, string, number, number, number, number][]).map(
    ([first, last, from, to, start, end]) => ({ first: BigInt(first), last: BigInt(last), from, to, start, end }),
  )

const compress = (text: string): Promise<Uint8Array> => Bun.zstdCompress(Buffer.from(text), { level: LEVEL })

// Rows of sealed months that have left the tables, or are about to: they are in files of the media store.
//
// A row leaves its table only after the file that has it is complete, so it is always in at least one of the two. Who reads both reads the
// tables first and the list of files after them, and takes a row that is in both once.
import { integer, type Row } from '../fields.ts'
import { type LedgerRows, rowsOfTables } from '../sql/months/ledger-rows.ts'
import type { Connection } from '../sql/statements.ts'
import { withoutForgotten } from './forgotten.ts'
import { createGate } from './gate.ts'
import { type Block, decodeBlock, type Kind, sha256 } from './part-file.ts'
import { ArchiveUnavailable, type PartStore, readRange } from './part-store.ts'
import { type Part, partsOver } from './parts.ts'

/** Readers repeat what they read if a file was completed meanwhile. That is rare: a file has thousands of rows. */
const MOST_TRIES = 10
/** Blocks of files whose places are known. */
const MOST_PLACES = 64

export type Archive = ReturnType<typeof openArchive>

export function openArchive(connection: Connection) {
  const parts = partsOver(connection)
  const gate = createGate()
  let known: { version: bigint; parts: readonly Part[] } = { version: 0n, parts: [] }
  const places = new Map<string, Block[]>()
  let open: () => Promise<PartStore> = async () => {
    throw new ArchiveUnavailable('archived rows cannot be read: the media store is not open')
  }
  let store: Promise<PartStore> | undefined
  const opened = (): Promise<PartStore> => {
    store ??= open().catch((error) => {
      store = undefined
      throw error
    })
    return store
  }

  async function reload(): Promise<void> {
    const version = await parts.version()
    known = { version, parts: await parts.all() }
  }
  async function load(): Promise<void> {
    if ((await parts.version()) !== known.version) await reload()
  }
  const of = (kind: Kind): readonly Part[] => known.parts.filter((part) => part.kind === kind)

  /** Where its rows are. */
  async function blocksOf({ id, name }: Part): Promise<Block[]> {
    const found = places.get(name) ?? (await parts.blocks(id))
    places.delete(name)
    places.set(name, found)
    for (const oldest of places.keys()) {
      if (places.size <= MOST_PLACES) break
      places.delete(oldest)
    }
    return found
  }

  /** `contains`: only lines with this text. */
  async function rowsOf({ name, kind }: Part, { start, end }: Block, contains?: string): Promise<Row[]> {
    const frame = await readRange(await opened(), name, start, end)
    return await withoutForgotten(connection, await decoded(name, kind, frame, contains))
  }

  async function decoded(name: string, kind: Kind, frame: Uint8Array, contains?: string): Promise<Row[]> {
    try {
      return await decodeBlock(kind, frame, contains)
    } catch (error) {
      throw new ArchiveUnavailable(`the file ${name} of the archive is damaged: ${String(error)}`)
    }
  }

  /** What `read` reads of tables and files, at a moment between which no file was completed. */
  async function unchanged<T>(read: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const { version } = known
      const result = await read()
      await load()
      if (known.version === version) return result
      if (tries === MOST_TRIES) throw new ArchiveUnavailable('archived rows are being written: try again')
    }
  }

  /** All rows, each once, of tables and files. Those of a file come in place of those of the tables. */
  const allRows: LedgerRows = async function* (kind, after, last) {
    const tables = rowsOfTables(connection)
    let from = after
    for (const part of of(kind)) {
      if (part.lastId <= after || part.firstId > last) continue
      for (const block of await blocksOf(part)) {
        if (block.last <= after || block.first > last) continue
        const rows = (await rowsOf(part, block)).filter(({ id }) => integer(id) > after && integer(id) <= last)
        const ids = new Set(rows.map(({ id }) => integer(id)))
        const end = block.last < last ? block.last : last
        for await (const page of tables(kind, from, end)) yield page.filter(({ id }) => !ids.has(integer(id)))
        yield rows
        from = end
      }
    }
    if (from < last) yield* tables(kind, from, last)
  }

  return {
    parts,
    gate,
    unchanged,
    reload,
    all: (): readonly Part[] => known.parts,
    of,
    blocksOf,
    rowsOf,
    allRows,
    store: opened,
    /** `open`: called at the first use. */
    attach(openStore: () => Promise<PartStore>): void {
      open = openStore
      store = undefined
    },
    /** The end of the last month of which rows may have left the tables; 0: of none. */
    async until(): Promise<number> {
      await load()
      return Math.max(0, ...known.parts.map(({ endsAt }) => endsAt))
    },
    /** undefined: it is not archived. `reader`: the account for which it is read. */
    async find(kind: Kind, id: bigint, reader?: bigint): Promise<Row | undefined> {
      await load()
      const part = of(kind).find(({ firstId, lastId }) => firstId <= id && id <= lastId)
      const block = part && (await blocksOf(part)).find(({ first, last }) => first <= id && id <= last)
      if (!part || !block) return undefined
      return await gate.pass(reader, async () =>
        (await rowsOf(part, block, String(id))).find((row) => integer(row.id) === id),
      )
    },
    /** The names of files that are missing or are not what was written. `onPart`: called after each. */
    async damaged(onPart: () => void = () => {}): Promise<string[]> {
      await load()
      const found: string[] = []
      for (const { name, bytes, sha256: sum } of known.parts) {
        const content = await readRange(await opened(), name, 0, bytes).catch((error) => {
          if (error instanceof ArchiveUnavailable) return undefined
          throw error
        })
        if (!content || sha256(content) !== sum) found.push(name)
        onPart()
      }
      return found
    },
  }
}

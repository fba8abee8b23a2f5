// The local journal: outcomes of requests that the store has not confirmed. Append-only JSON lines, one file per node
// (`<node id>-<epoch>.jsonl`); a file exists only while it has entries that are not applied yet.
//
// Several processes may share the folder, and a process that was declared dead may resume and append. So a file is renamed
// before another process reads it, and an owner that finds its file renamed writes the lines again to a new one. An entry may
// be applied twice that way, but is never lost; the ledger's verbs may be repeated.
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finish } from '../../money/ledger.ts'
import { type DamagedLine, encodeLine, readLines } from './journal-lines.ts'

export type Journal = {
  /** Resolves once the entry is on disk; entries that arrive together share one fsync. */
  append(verb: Finish): Promise<void>
  /**
   * Calls `apply` with every entry, also those of other processes, and removes files without remaining entries. Entries for
   * which `apply` returns false are kept; if it throws because the store is down, all that is not applied is kept.
   */
  replay(apply: Apply): Promise<Replay>
  /** The number of entries of this process that are not applied yet. */
  pending(): number
  close(): Promise<void>
}
/** `ageMs`: how long ago this process appended it; Infinity for an entry that another process left. */
export type Apply = (verb: Finish, ageMs: number) => Promise<boolean>
export type Replay = { applied: number; kept: number; torn: number; damaged: (DamagedLine & { file: string })[] }

/** Replaced in tests that observe, delay or fail writes. */
export type JournalFile = {
  write(bytes: Uint8Array): Promise<void>
  sync(): Promise<void>
  inode(): Promise<bigint>
  close(): Promise<void>
}
export type JournalOptions = { monotonic?: () => number; openFile?: (path: string) => Promise<JournalFile> }

type Entry = { verb: Finish; at: number }
type OwnFile = { name: string; path: string; file: JournalFile | undefined; entries: Map<bigint, Entry> }
type QueuedLine = { own: OwnFile; line: string; resolve: () => void; reject: (reason: unknown) => void }

const LIVE = /^\d+-\d+\.jsonl$/
const RENAMED = /\.replay$/

export async function openJournal(folder: string, options: JournalOptions = {}): Promise<Journal> {
  const { monotonic = () => performance.now(), openFile = openForAppend } = options
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const own = new Map<string, OwnFile>()
  let queued: QueuedLine[] = []
  let tail: Promise<void> = Promise.resolve()
  let replaying: Promise<Replay> | undefined

  /** Writes, removals and close run one after another: a file is never removed between a write and its fsync. */
  function exclusively(work: () => Promise<void>): Promise<void> {
    tail = tail.then(work, work)
    return tail
  }

  function append(verb: Finish): Promise<void> {
    // Its file would be shared by all processes. The holder of the task's lease retries instead.
    if (verb.nodeId < 0) return Promise.reject(new Error(`the end of task ${verb.id} must not be journaled`))
    const name = `${verb.nodeId}-${verb.epoch}.jsonl`
    const file = own.get(name) ?? { name, path: join(folder, name), file: undefined, entries: new Map() }
    own.set(name, file)
    // Replay applies it even if it cannot be written to disk.
    file.entries.set(verb.id, { verb, at: monotonic() })
    return new Promise((resolve, reject) => {
      queued.push({ own: file, line: encodeLine(verb), resolve, reject })
      if (queued.length === 1) void exclusively(flush)
    })
  }

  async function flush(): Promise<void> {
    const batch = queued
    queued = []
    for (const target of new Set(batch.map((one) => one.own))) {
      const lines = batch.filter((one) => one.own === target)
      try {
        await writeDurably(target, lines.map((one) => one.line).join(''))
        for (const one of lines) one.resolve()
      } catch (error) {
        // What reached the disk is unknown: the next write begins a new file and leaves this one to replay.
        await closeFile(target).catch(() => {})
        for (const one of lines) one.reject(error)
      }
    }
  }

  async function writeDurably(target: OwnFile, text: string): Promise<void> {
    // Repeated if another process renamed the file meanwhile: it may have read the file before this write.
    for (;;) {
      const isNew = target.file === undefined
      if (isNew) await renameIfThere(target.name)
      target.file ??= await openFile(target.path)
      await target.file.write(Buffer.from(text))
      await target.file.sync()
      if (isNew) await syncFolder(folder)
      if ((await inodeAt(target.path)) === (await target.file.inode())) return
      await closeFile(target)
    }
  }

  async function replay(apply: Apply): Promise<Replay> {
    const report: Replay = { applied: 0, kept: 0, torn: 0, damaged: [] }
    for (const name of await readdir(folder)) {
      if (LIVE.test(name) && !own.has(name)) await renameIfThere(name)
    }
    for (const name of await readdir(folder)) if (RENAMED.test(name)) await replayLeft(name, apply, report)
    for (const file of own.values()) await replayOwn(file, apply, report)
    return report
  }

  const renameIfThere = (name: string) =>
    ignoreMissing(rename(join(folder, name), join(folder, `${name}.${randomUUID()}.replay`)))

  async function replayLeft(name: string, apply: Apply, report: Replay): Promise<void> {
    const path = join(folder, name)
    const bytes = await ignoreMissing(readFile(path))
    if (bytes === undefined) return
    const { verbs, damaged, torn } = readLines(bytes)
    let kept = 0
    for (const verb of verbs) {
      if (await apply(verb, Number.POSITIVE_INFINITY)) report.applied += 1
      else kept += 1
    }
    report.kept += kept
    if (kept > 0) return
    report.torn += torn ? 1 : 0
    report.damaged.push(...damaged.map((line) => ({ ...line, file: name })))
    // Damaged lines may be charges: they are kept for the operator, under a name that is not read again.
    if (damaged.length > 0) await ignoreMissing(rename(path, path.replace(RENAMED, '.damaged')))
    else await rm(path, { force: true })
  }

  async function replayOwn(file: OwnFile, apply: Apply, report: Replay): Promise<void> {
    for (const [id, entry] of [...file.entries]) {
      const isApplied = await apply(entry.verb, monotonic() - entry.at)
      report.applied += isApplied ? 1 : 0
      report.kept += isApplied ? 0 : 1
      if (isApplied && file.entries.get(id) === entry) file.entries.delete(id)
    }
    await exclusively(async () => {
      if (file.entries.size > 0) return
      await closeFile(file)
      await rm(file.path, { force: true })
      // An append during the removal has added its entry, and its flush follows: the file is still needed.
      if (file.entries.size === 0) own.delete(file.name)
    })
  }

  async function close(): Promise<void> {
    await exclusively(async () => {
      for (const file of own.values()) await closeFile(file)
    })
  }

  return {
    append,
    pending: () => [...own.values()].reduce((sum, file) => sum + file.entries.size, 0),
    close,
    replay(apply) {
      replaying ??= replay(apply).finally(() => {
        replaying = undefined
      })
      return replaying
    },
  }
}

async function closeFile(target: OwnFile): Promise<void> {
  const file = target.file
  target.file = undefined
  await file?.close()
}

async function openForAppend(path: string): Promise<JournalFile> {
  const handle = await open(path, 'a', 0o600)
  return {
    write: (bytes) => handle.appendFile(bytes),
    sync: () => handle.sync(),
    inode: async () => (await handle.stat({ bigint: true })).ino,
    close: () => handle.close(),
  }
}

/** A new file's name is durable only once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function inodeAt(path: string): Promise<bigint | undefined> {
  return (await ignoreMissing(stat(path, { bigint: true })))?.ino
}

async function ignoreMissing<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

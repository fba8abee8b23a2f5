// Hot reload: the file is reloaded when it changes and on SIGHUP. A bad edit leaves the running
// configuration in force, and its mistakes are reported once.
import { type FSWatcher, watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { Mistake } from '../yaml/document.ts'
import { EMPTY_FILE, isEmptyDocument } from '../yaml/document.ts'
import type { LoadResult } from './assemble.ts'
import { type Change, describeChanges } from './changes.ts'
import { describeSystemError } from './system-error.ts'
import type { Environment, FileConfig } from './types.ts'

/** A file may have appeared since the start. */
export const fileInForce = (
  { configFile, watchedFile }: Pick<Environment, 'configFile' | 'watchedFile'>,
  { fileHash }: Pick<FileConfig, 'fileHash'>,
): string | undefined => (fileHash === '' ? configFile : watchedFile)

export type WatchOptions = {
  /** The configuration in force, to describe what changes. */
  running(): FileConfig
  /** Contents must stay unchanged for this long before they are loaded. */
  settleMs?: number
  /** For changes without file system events: network drives, symbolic links, full event queues. */
  pollMs?: number
  /** The database writes to the same folder, thousands of times a second: the file is polled instead of watched. */
  busyFolder?: boolean
  /** There was no file at the start: it is loaded once it exists. */
  mayBeMissing?: boolean
}

export type ConfigWatcher = {
  /** Loads now, changed or not: for SIGHUP. Resolves when the result is in force or its mistakes are reported. */
  reload(): Promise<void>
  close(): void
}

type OnChange = (config: FileConfig, changes: Change[], contents: Uint8Array) => void | Promise<void>
type OnMistakes = (mistakes: readonly Mistake[]) => void

/** The contents of the file, or why it cannot be read. Compared to detect changes. */
type Content = { bytes: Buffer; problem?: undefined } | { bytes?: undefined; problem: string }

/** Loads the contents that were compared, not the file: it may have changed since. */
type Load = (file: string, contents: Uint8Array) => LoadResult | Promise<LoadResult>

async function readContent(file: string): Promise<Content> {
  try {
    return { bytes: await readFile(file) }
  } catch (error) {
    return { problem: describeSystemError(error) }
  }
}

function same(one: Content, other: Content | undefined): boolean {
  if (one.bytes && other?.bytes) return one.bytes.equals(other.bytes)
  return other !== undefined && !one.bytes && one.problem === other.problem
}

export function watchConfig(
  file: string,
  load: Load,
  onChange: OnChange,
  onMistakes: OnMistakes,
  {
    running,
    settleMs = 100,
    busyFolder = false,
    pollMs = busyFolder ? 1_000 : 5_000,
    mayBeMissing = false,
  }: WatchOptions,
): ConfigWatcher {
  let closed = false
  /** The contents last loaded or reported. Undefined at first, so that an edit since `running` was read is not missed. */
  let handled: Content | undefined
  let wasThere = !mayBeMissing
  /** New contents, loaded if they are the same at the next look. */
  let candidate: Content | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let queue = Promise.resolve()

  const report = (message: string) => onMistakes([{ file, line: undefined, message }])

  async function take(content: Content, asked: boolean): Promise<void> {
    const first = handled === undefined
    handled = content
    candidate = undefined
    if (!content.bytes && !wasThere) return
    if (!content.bytes) {
      return report(`cannot be read: ${content.problem}; the running configuration stays in force`)
    }
    wasThere = true
    // Editors and full disks leave empty files behind, or the comment at the top alone. As a configuration it would mean: drop
    // every upstream and model.
    const isEmpty = isEmptyDocument(content.bytes.toString())
    // A start accepts an empty file as the defaults.
    if (isEmpty && !(first && !asked)) return report(EMPTY_FILE)
    const loaded = await load(file, content.bytes)
    if (!loaded.config) return onMistakes(loaded.mistakes)
    const changes = describeChanges(running(), loaded.config)
    if (first && !asked && changes.length === 0) return
    if (isEmpty) return report(EMPTY_FILE)
    try {
      await onChange(loaded.config, changes, content.bytes)
    } catch (error) {
      report(`could not be applied: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** An editor may empty the file before writing it, and half a file may be valid: only unchanged contents are loaded. */
  async function look(): Promise<void> {
    const content = await readContent(file)
    if (closed) return
    if (same(content, handled)) {
      candidate = undefined
    } else if (same(content, candidate)) {
      await take(content, false)
    } else {
      candidate = content
      lookSoon()
    }
  }

  /** Runs one at a time: a reload must not overtake a slow onChange. */
  function enqueue(work: () => Promise<void>): Promise<void> {
    queue = queue.then(work).catch((error) => report(`could not be reloaded: ${describeSystemError(error)}`))
    return queue
  }

  /** Further events do not postpone a pending look: in a busy folder it would never happen. */
  function lookSoon(): void {
    if (closed || timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      void enqueue(look)
    }, settleMs)
    timer.unref()
  }

  const watcher = busyFolder ? undefined : watchFolder(file, lookSoon)
  const poll = setInterval(lookSoon, pollMs)
  poll.unref()
  lookSoon()

  return {
    async reload() {
      if (!closed) await enqueue(async () => take(await readContent(file), true))
    },
    close() {
      closed = true
      clearTimeout(timer)
      clearInterval(poll)
      watcher?.close()
    },
  }
}

/** Watches the folder, not the file: editors rename a new file over the old one, and a watch on the old file would see nothing. */
function watchFolder(file: string, onEvent: () => void): FSWatcher | undefined {
  // Names that begin with ".." are how a mounted Kubernetes ConfigMap is swapped.
  const concerns = (name: string | null) => name === null || name === basename(file) || name.startsWith('..')
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_, name) => concerns(name) && onEvent())
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    // No watches are left, or the file system has none: polling detects the change later.
    return undefined
  }
}

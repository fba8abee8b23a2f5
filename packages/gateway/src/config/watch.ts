// Hot reload: the file is re-read when it changes and when asked to (SIGHUP). A bad edit leaves the running
// configuration in force, and its mistakes are reported once.
import { type FSWatcher, watch } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { LoadResult } from './assemble.ts'
import { type Change, describeChanges } from './changes.ts'
import { describeSystemError } from './sections/server.ts'
import type { FileConfig, Mistake } from './types.ts'
import { EMPTY_FILE, isEmptyDocument } from './yaml/document.ts'

export type WatchOptions = {
  /** The configuration in force, to tell what changed. */
  running: FileConfig
  /** Contents must stay the same for this long before they are believed. */
  settleMs?: number
  /** For changes that the system reports to nobody: network drives, symbolic links, full event queues. */
  pollMs?: number
  /** The database writes there too: thousands of events a second would be none of ours. The file is only looked at then. */
  busyFolder?: boolean
}

export type ConfigWatcher = {
  /** Loads now, changed or not: for SIGHUP. Resolves when the result is in force or its mistakes are reported. */
  reload(): Promise<void>
  close(): void
}

type OnChange = (config: FileConfig, changes: Change[]) => void | Promise<void>
type OnMistakes = (mistakes: readonly Mistake[]) => void

/** What stands in a file, or why that cannot be told. Compared to see whether anything changed. */
type Content = { text: string | undefined; problem: string | undefined }

async function readContent(file: string): Promise<Content> {
  try {
    return { text: await readFile(file, 'latin1'), problem: undefined }
  } catch (error) {
    return { text: undefined, problem: describeSystemError(error) }
  }
}

const same = (one: Content, other: Content | undefined): boolean =>
  other !== undefined && one.text === other.text && one.problem === other.problem

export function watchConfig(
  file: string,
  load: (file: string) => LoadResult,
  onChange: OnChange,
  onMistakes: OnMistakes,
  { running, settleMs = 100, busyFolder = false, pollMs = busyFolder ? 1_000 : 5_000 }: WatchOptions,
): ConfigWatcher {
  let current = running
  let closed = false
  /** Dealt with: loaded, or reported as wrong. Nothing yet: an edit since `running` was read must not be missed. */
  let handled: Content | undefined
  /** Seen once, and believed when the next look shows the same. */
  let candidate: Content | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let queue = Promise.resolve()

  const report = (message: string) => onMistakes([{ file, line: undefined, message }])

  async function take(content: Content, asked: boolean): Promise<void> {
    const first = handled === undefined
    handled = content
    candidate = undefined
    if (content.text === undefined) {
      return report(`cannot be read: ${content.problem}; the running configuration stays in force`)
    }
    // Editors and full disks leave empty files behind, or the comment at the top alone. As a configuration it would mean: drop
    // every upstream and model.
    const isEmpty = isEmptyDocument(Buffer.from(content.text, 'latin1').toString())
    // A start takes it for the defaults, which are in force then.
    if (isEmpty && !(first && !asked)) return report(EMPTY_FILE)
    const loaded = load(file)
    if (!loaded.config) return onMistakes(loaded.mistakes)
    const changes = describeChanges(current, loaded.config)
    if (first && !asked && changes.length === 0) return
    if (isEmpty) return report(EMPTY_FILE)
    try {
      await onChange(loaded.config, changes)
      current = loaded.config
    } catch (error) {
      report(`could not be applied: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** A write in place empties the file first, and half a file may well be valid: only what stays the same counts. */
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

  /** One after the other: a slow onChange must not be overtaken by the next. */
  function enqueue(work: () => Promise<void>): Promise<void> {
    queue = queue.then(work).catch((error) => report(`could not be reloaded: ${describeSystemError(error)}`))
    return queue
  }

  /** A pending look is not put off by further events: in a busy folder it would never come. */
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

/** The folder, not the file: editors rename a new file over the old one, and a watch on the old one sees nothing more. */
function watchFolder(file: string, onEvent: () => void): FSWatcher | undefined {
  // Names that begin with ".." are how a mounted Kubernetes ConfigMap is swapped.
  const concerns = (name: string | null) => name === null || name === basename(file) || name.startsWith('..')
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_, name) => concerns(name) && onEvent())
    watcher.on('error', () => watcher.close())
    return watcher
  } catch {
    // No watches left on this machine, or a file system without them: the poll alone does it, later.
    return undefined
  }
}

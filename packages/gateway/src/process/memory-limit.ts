// How much memory this process may use: the limit of its container (Linux control groups, version 1 and 2), or the machine's.
import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'

export type MemoryLimit = { bytes: number; of: 'container' | 'machine' }

/** Which groups a process is in: lines such as `0::/path` (version 2) and `4:memory:/path` (version 1). */
const GROUPS = '/proc/self/cgroup'
const MOUNTED = '/sys/fs/cgroup'
/** A group may be throttled before it is at its limit: both are limits here. */
const V2_FILES = ['memory.max', 'memory.high']
const V1_FILES = ['memory.limit_in_bytes']

export function memoryLimit(): MemoryLimit {
  return memoryLimitOf(totalmem(), readText)
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}

/** What this process uses of that limit. Throws if the system does not tell. */
export const usedMemory = (): number => usedMemoryOf(readText('/proc/self/status'), () => process.memoryUsage.rss())

/**
 * `status`: what Linux says of the process. Pages of files do not count, above all those of the program itself: the system takes them back
 * before it ends a process for want of memory, and they may belong to another group.
 */
export function usedMemoryOf(status: string | undefined, resident: () => number): number {
  const kilobytes = [...(status ?? '').matchAll(/^(?:RssAnon|RssShmem|VmSwap):\s*(\d+) kB$/gm)].map(([, text]) =>
    Number(text),
  )
  return kilobytes.length === 0 ? resident() : 1_024 * kilobytes.reduce((sum, each) => sum + each, 0)
}

/** `read` gives the text of a file, or undefined if there is none. */
export function memoryLimitOf(machineBytes: number, read: (path: string) => string | undefined): MemoryLimit {
  const limits = limitFiles(read(GROUPS) ?? '').flatMap((path) => bytesIn(read(path)))
  const least = Math.min(...limits)
  return least < machineBytes ? { bytes: least, of: 'container' } : { bytes: machineBytes, of: 'machine' }
}

/**
 * A limit of any group above applies, too. In a container the path may be that of the host, whose files it does not see: then
 * those at the root are its own.
 */
function limitFiles(groups: string): string[] {
  return groups.split('\n').flatMap((line) => {
    const [, controllers = '', path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
    if (path === undefined) return []
    const isV1 = controllers.split(',').includes('memory')
    if (!isV1 && controllers !== '') return []
    const files = isV1 ? V1_FILES : V2_FILES
    const root = isV1 ? `${MOUNTED}/memory` : MOUNTED
    return foldersOf(path).flatMap((folder) => files.map((file) => `${root}${folder}/${file}`))
  })
}

/** `/a/b` gives `/a/b`, `/a` and the root. Groups outside of the container's view (`/../x`) have no files here. */
function foldersOf(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '')
  if (names.includes('..')) return ['']
  return [...names.map((_, index) => `/${names.slice(0, names.length - index).join('/')}`), '']
}

/** Nothing for `max` and for what is no number. Version 1 writes a number beyond all memory instead. */
function bytesIn(text: string | undefined): number[] {
  const trimmed = text?.trim() ?? ''
  return /^[1-9]\d*$/.test(trimmed) ? [Number(trimmed)] : []
}

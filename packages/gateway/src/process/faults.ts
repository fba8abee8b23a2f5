// Faults of the environment that keep a server from working: a full or read-only disk, no free descriptors, the memory limit, a clock
// that was set. While one lasts, /ready is false and the log has one line about it; its end is noticed without a restart.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../observe/log.ts'
import { memoryLimit, usedMemory } from './memory-limit.ts'

export type Faults = {
  /** Those that last, in words. */
  list(): string[]
  /** Looks at once: a write has failed. */
  check(): void
  stop(): void
}

export type FaultOptions = {
  /** Throws if the disk cannot be written. */
  writeProbe(): void
  memory: { used(): number; limit: number; release(): void }
  wall(): number
  monotonic(): number
  after(ms: number, run: () => void): () => void
  log: Pick<Log, 'error' | 'info'>
}

const LOOK_EVERY_MS = 2_000
/** Thousands of requests may fail at once. */
const CHECK_AGAIN_MS = 100
/** After a clock was set, leases and times of rows settle. */
const STEADY_AFTER_MS = 10_000
const CLOCK_TOLERANCE_MS = 2_000
/** The share of the limit at which memory is full; between the two nothing changes. */
const MEMORY_FULL = 0.95
const MEMORY_FREE = 0.85
/** More than a block, which a full disk may still have. */
const PROBE_BYTES = 64 * 1024

const SPACE = 'the disk is full; free space, and requests are accepted again'
const READ_ONLY = 'the data folder cannot be written; mount it writable, with the rights of this user'
const DESCRIPTORS = 'no file descriptor is free; raise the limit (ulimit -n, LimitNOFILE)'
const WRITE_FAULTS: Readonly<Record<string, string>> = {
  ENOSPC: SPACE,
  EDQUOT: SPACE,
  EFBIG: SPACE,
  EROFS: READ_ONLY,
  EACCES: READ_ONLY,
  EPERM: READ_ONLY,
  EMFILE: DESCRIPTORS,
  ENFILE: DESCRIPTORS,
}

type Kind = 'disk' | 'memory' | 'clock'

export function watchFaults(options: FaultOptions): Faults {
  const { writeProbe, memory, wall, monotonic, log } = options
  const lasting = new Map<Kind, string>()
  let clock = { wall: wall(), monotonic: monotonic() }
  let checkedAt = Number.NEGATIVE_INFINITY
  let steadyAt = Number.NEGATIVE_INFINITY
  let cancel = options.after(LOOK_EVERY_MS, look)

  function set(kind: Kind, fault: string | undefined): void {
    const before = lasting.get(kind)
    if (fault === before) return
    if (fault === undefined) lasting.delete(kind)
    else lasting.set(kind, fault)
    if (fault !== undefined) log.error(`not ready: ${fault}`)
    else log.info(`no longer a fault: ${before}`)
  }

  function checkDisk(): void {
    try {
      writeProbe()
      set('disk', undefined)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      set('disk', WRITE_FAULTS[code] ?? `the data folder cannot be written (${code === '' ? String(error) : code})`)
    }
  }

  /** Without a free descriptor the system does not tell. */
  function usedPart(): number {
    try {
      return memory.used() / memory.limit
    } catch {
      return lasting.has('memory') ? MEMORY_FULL : 0
    }
  }

  function checkMemory(): void {
    const part = usedPart()
    if (part >= MEMORY_FULL)
      set('memory', 'the memory limit is nearly reached; raise it, or lower server.limits.memory')
    else if (part <= MEMORY_FREE) set('memory', undefined)
    if (lasting.has('memory')) memory.release()
  }

  function checkClock(): void {
    const now = { wall: wall(), monotonic: monotonic() }
    const jumpMs = now.wall - clock.wall - (now.monotonic - clock.monotonic)
    clock = now
    if (Math.abs(jumpMs) > CLOCK_TOLERANCE_MS) {
      steadyAt = now.monotonic + STEADY_AFTER_MS
      const by = `${Math.round(Math.abs(jumpMs) / 1_000)} s`
      set('clock', `the system clock was set ${jumpMs > 0 ? 'forward' : 'back'} by ${by}; check its time service (NTP)`)
    } else if (now.monotonic >= steadyAt) set('clock', undefined)
  }

  function look(): void {
    checkDisk()
    checkMemory()
    checkClock()
    cancel = options.after(LOOK_EVERY_MS, look)
  }

  return {
    list: () => [...lasting.values()],
    check() {
      if (monotonic() < checkedAt + CHECK_AGAIN_MS) return
      checkedAt = monotonic()
      checkDisk()
    },
    stop: () => cancel(),
  }
}

/** The faults of this process. */
export function watchProcess({ dataDir, workers }: { dataDir: string; workers: number }, log: Log): Faults {
  return watchFaults({
    writeProbe: diskProbe(dataDir),
    memory: {
      used: usedMemory,
      limit: memoryLimit().bytes / workers,
      release: () => Bun.gc(true),
    },
    wall: Date.now,
    monotonic: () => performance.now(),
    after(ms, run) {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
    log,
  })
}

/** Synchronous, so that a failed write makes the server not ready before its response leaves. */
function diskProbe(folder: string): () => void {
  const file = join(folder, `probe-${process.pid}.tmp`)
  const bytes = new Uint8Array(PROBE_BYTES)
  return () => {
    try {
      writeFileSync(file, bytes, { mode: 0o600 })
    } finally {
      rmSync(file, { force: true })
    }
  }
}

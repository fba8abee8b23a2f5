// CPU time and memory of another process, and the arithmetic of samples.
import { FFIType, ptr } from 'bun:ffi'
import { readFileSync } from 'node:fs'
import { openLibc } from '../../packages/http/src/system/libc.ts'

/** CPU microseconds that a process has used so far, in all of its threads, user and system. */
export function cpuMicros(pid: number): number {
  return process.platform === 'linux' ? linuxCpuMicros(pid) : psCpuMicros(pid)
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  if (process.platform !== 'linux') return Number(ps('rss', pid)) * 1024
  const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (kibibytes === undefined) throw new Error(`process ${pid} has no resident memory: it has ended`)
  return Number(kibibytes) * 1024
}

const libc = openLibc({ clock_gettime: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 } })

/** The kernel's clock of a whole process counts nanoseconds; /proc/PID/stat counts hundredths of a second. */
function linuxCpuMicros(pid: number): number {
  const time = new BigInt64Array(2)
  // The clock's number by the rule of clock_getcpuclockid(3); 2 is the kind that counts all time on a CPU.
  if (libc?.clock_gettime((~pid << 3) | 2, ptr(time)) === 0) return Number(time[0]) * 1e6 + Number(time[1]) / 1e3
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // Behind the name, which may itself have blanks and parentheses: fields 14 and 15 are utime and stime.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

function psCpuMicros(pid: number): number {
  const [seconds = 0, minutes = 0, hours = 0] = ps('time', pid).split(/[:-]/).map(Number).reverse()
  return (hours * 3600 + minutes * 60 + seconds) * 1e6
}

function ps(column: string, pid: number): string {
  return Bun.spawnSync(['ps', '-o', `${column}=`, '-p', String(pid)])
    .stdout.toString()
    .trim()
}

export const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The value below which `share` of the sorted values lie. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

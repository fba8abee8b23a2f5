// Listeners that share a port get new connections at random. To retire one without cutting off whoever is just shaking
// hands with it, the kernel is told to give all new connections to the other. Linux only: elsewhere a listener that is
// retired may reset a connection that was being opened at that very moment, and the client has to try again.
import { FFIType, ptr } from 'bun:ffi'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { openLibc } from './libc.ts'

const SOL_SOCKET = 1
const SO_ATTACH_REUSEPORT_CBPF = 51
/** TCP_LISTEN as /proc writes it. */
const LISTENING = '0A'

/** false: not possible here. The sockets of a port are numbered in the order of their opening. */
export function steerNewConnections(number: number, port: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    const descriptor = listeningDescriptor(port)
    return descriptor !== undefined && attachFilter(descriptor, alwaysReturn(number))
  } catch {
    return false
  }
}

/** Any of the sockets will do: the filter belongs to all of them. */
function listeningDescriptor(port: number): number | undefined {
  const inodes = new Set(['/proc/self/net/tcp', '/proc/self/net/tcp6'].flatMap((table) => listening(table, port)))
  return readdirSync('/proc/self/fd')
    .map(Number)
    .find((descriptor) => inodes.has(/^socket:\[(\d+)\]$/.exec(linkOf(descriptor))?.[1] ?? ''))
}

function listening(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readTable(table).map((line) => line.trim().split(/\s+/))
  return rows.flatMap((row) => (row[1]?.endsWith(suffix) && row[3] === LISTENING && row[9] ? [row[9]] : []))
}

function readTable(table: string): string[] {
  try {
    return readFileSync(table, 'utf8').split('\n').slice(1)
  } catch {
    return []
  }
}

/** The descriptor of the listing itself is closed by now. */
function linkOf(descriptor: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return ''
  }
}

/** A classic BPF program of one instruction, `ret #number`: struct sock_filter { u16 code; u8 jt, jf; u32 k }. */
function alwaysReturn(number: number): Uint8Array {
  const instruction = new DataView(new ArrayBuffer(8))
  instruction.setUint16(0, 0x06, true)
  instruction.setUint32(4, number, true)
  return new Uint8Array(instruction.buffer)
}

function attachFilter(descriptor: number, filter: Uint8Array): boolean {
  // struct sock_fprog { u16 length; sock_filter *filter }, the pointer aligned to eight bytes.
  const program = new DataView(new ArrayBuffer(16))
  program.setUint16(0, filter.length / 8, true)
  program.setBigUint64(8, BigInt(ptr(filter)), true)
  const { int, pointer } = { int: FFIType.i32, pointer: FFIType.ptr }
  const libc = openLibc({ setsockopt: { args: [int, int, int, pointer, FFIType.u32], returns: int } })
  return libc?.setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, ptr(program.buffer), 16) === 0
}

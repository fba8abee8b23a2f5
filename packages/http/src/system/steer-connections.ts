// Listeners that share a port receive new connections at random. To retire one without resetting connections in their TCP
// handshake, the kernel is told to give all new connections to the other. Linux only: elsewhere retiring a listener may reset
// a connection that is just being opened, and its client has to retry.
import { FFIType, ptr } from 'bun:ffi'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { openLibc } from './libc.ts'

const SOL_SOCKET = 1
const SO_ATTACH_REUSEPORT_CBPF = 51
/** TCP_LISTEN in /proc/net/tcp. */
const LISTENING = '0A'

/** Returns false if not supported. The sockets of a port are numbered in the order of their opening. */
export function steerNewConnections(number: number, port: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    const descriptor = listeningDescriptor(port)
    return descriptor !== undefined && attachFilter(descriptor, alwaysReturn(number))
  } catch {
    return false
  }
}

/** Any socket of the port works: the filter applies to all of them. */
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

/** Empty if the descriptor has been closed meanwhile. */
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

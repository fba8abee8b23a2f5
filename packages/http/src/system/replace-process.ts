// execve: another program takes the place of this one, with the same process id.
import { FFIType, ptr } from 'bun:ffi'
import { openLibc } from './libc.ts'

/** Returns only if it could not be done. */
export function replaceProcess(command: readonly string[], env: Readonly<Record<string, string | undefined>>): void {
  const libc = openLibc({ execve: { args: [FFIType.ptr, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 } })
  const [program] = command
  if (!libc || program === undefined) return
  const variables = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
  const path = bytesOf(program)
  const [args, environment] = [command.map(bytesOf), variables.map(bytesOf)]
  libc.execve(ptr(path), ptr(pointersTo(args)), ptr(pointersTo(environment)))
}

const bytesOf = (text: string): Uint8Array => Buffer.from(`${text}\0`)

/** An array of C strings, ended by a null pointer. */
const pointersTo = (strings: readonly Uint8Array[]): BigUint64Array =>
  new BigUint64Array([...strings.map((bytes) => BigInt(ptr(bytes))), 0n])

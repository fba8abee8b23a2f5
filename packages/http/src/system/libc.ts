// Functions of the system's C library, for the few things that Bun does not offer.
import { dlopen, type FFIFunction } from 'bun:ffi'

const MUSL = `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`
const LIBRARIES = process.platform === 'darwin' ? ['libSystem.B.dylib'] : ['libc.so.6', MUSL]

/** undefined: there is no such library here. */
export function openLibc<const Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): ReturnType<typeof dlopen<Functions>>['symbols'] | undefined {
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, functions).symbols
    } catch {}
  }
  return undefined
}

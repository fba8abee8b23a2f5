// Functions of the C library that Bun does not offer.
import { dlopen, type FFIFunction } from 'bun:ffi'

const MUSL = `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`
const LIBRARIES = process.platform === 'darwin' ? ['libSystem.B.dylib'] : ['libc.so.6', MUSL]

/** undefined: no C library was found. */
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

// The platforms for which executables are built.

/** `os`, `cpu`, `libc`: as npm names them. */
export type Target = {
  name: string
  bun: string
  os: 'linux' | 'darwin'
  cpu: 'x64' | 'arm64'
  libc?: 'glibc' | 'musl'
}

export const TARGETS: readonly Target[] = [
  { name: 'linux-x64', bun: 'bun-linux-x64', os: 'linux', cpu: 'x64', libc: 'glibc' },
  { name: 'linux-arm64', bun: 'bun-linux-arm64', os: 'linux', cpu: 'arm64', libc: 'glibc' },
  { name: 'linux-x64-musl', bun: 'bun-linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl' },
  { name: 'linux-arm64-musl', bun: 'bun-linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl' },
  { name: 'darwin-x64', bun: 'bun-darwin-x64', os: 'darwin', cpu: 'x64' },
  { name: 'darwin-arm64', bun: 'bun-darwin-arm64', os: 'darwin', cpu: 'arm64' },
]

/** The platform of this machine. */
export function hostTarget(): Target {
  const isMusl = process.platform === 'linux' && process.report?.getReport() && !glibcVersion()
  const name = `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`
  const found = TARGETS.find((target) => target.name === name)
  if (!found)
    throw new Error(`no executable is built for ${name}; there are ${TARGETS.map(({ name }) => name).join(', ')}`)
  return found
}

function glibcVersion(): unknown {
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined
  return report?.header?.glibcVersionRuntime
}

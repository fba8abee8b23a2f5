// What the program calls itself: the version of a release, or that of the next release with the commit that is checked out.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../../package.json' with { type: 'json' }

/** The build puts it into executables. */
declare const BUILT_VERSION: string

const SHOWN = 8

export const VERSION = typeof BUILT_VERSION === 'string' ? BUILT_VERSION : versionOf(manifest.version)

function versionOf(written: string): string {
  const commit = written.endsWith('-dev') ? headOf(join(import.meta.dir, '../../../../.git')) : undefined
  return commit === undefined ? written : `${written}+${commit.slice(0, SHOWN)}`
}

/** The commit that is checked out; undefined: there is no repository, or one of another form. */
export function headOf(folder: string): string | undefined {
  const read = (name: string) => {
    const file = join(folder, name)
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
  }
  const head = read('HEAD')
  const [, branch] = /^ref: (.+)$/.exec(head ?? '') ?? []
  if (branch === undefined) return head
  const packed = read('packed-refs')
    ?.split('\n')
    .find((line) => line.endsWith(` ${branch}`))
  return read(branch) ?? packed?.split(' ')[0]
}

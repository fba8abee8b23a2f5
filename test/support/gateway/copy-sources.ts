// A copy of the gateway's sources that a test may change, with the dependencies of this checkout.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')

/** Returns the folder; the program is `packages/gateway/src/main.ts` in it. */
export function copySources(): string {
  const copy = mkdtempSync(join(tmpdir(), 'trivium-sources-'))
  mkdirSync(join(copy, 'node_modules/@trivium'), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'packages'))) {
    const filter = (path: string) => !/\/(?:fixtures|node_modules)$/.test(path)
    cpSync(join(ROOT, 'packages', name), join(copy, 'packages', name), { recursive: true, filter })
    symlinkSync(join(copy, 'packages', name), join(copy, 'node_modules/@trivium', name))
  }
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@trivium') symlinkSync(join(ROOT, 'node_modules', name), join(copy, 'node_modules', name))
  for (const name of ['package.json', 'NOTICE']) cpSync(join(ROOT, name), join(copy, name))
  return copy
}

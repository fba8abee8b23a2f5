// The sources of the project and what they import, for the test of the architecture, its picture and `npm run counts`.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

export const GATEWAY = 'packages/gateway/src'

export const isTest = (path: string): boolean =>
  /\.test\.tsx?$/.test(path) || /\/(contract|test-support|fixtures)\//.test(path)

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** Relative to the root, tests included. */
export function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter(
      (entry) =>
        entry.isFile() && /(?<!\.d)\.(ts|tsx|mjs)$/.test(entry.name) && !entry.parentPath.includes('node_modules'),
    )
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .sort()
}

/** The files that a source imports, relative to the root; packages by their name. */
export function importsOf(path: string): string[] {
  const found = read(path).matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]/g,
  )
  return [...found].map((match) => {
    const target = match[1] ?? match[2] ?? ''
    const [named, name, file = 'index.ts'] = /^@trivium\/([^/]+)(?:\/(.+))?$/.exec(target) ?? []
    if (named) return `packages/${name}/${file.startsWith('fixtures/') ? '' : 'src/'}${file}`
    return target.startsWith('.') ? relative(ROOT, join(ROOT, dirname(path), target)) : target
  })
}

/** What else is known of an endpoint lies beside its declaration, and belongs to these rooms. */
const ATTACHED: Readonly<Record<string, string>> = { handlers: 'handlers', modality: 'modalities', checks: 'upstreams' }
const attachedTo = (path: string): string | undefined =>
  ATTACHED[/\/src\/endpoints\/(?:.*[/-])?(handlers|modality|checks)(?:\.ts$|\/)/.exec(path)?.[1] ?? '']

/** The room of a product source: a folder of the gateway or a file at its top, or another package. */
export function roomOf(path: string): string {
  const [, name = '', , room = ''] = path.split('/')
  return attachedTo(path) ?? (name === 'gateway' ? room : name)
}

// The documentation as modules of the web app, so that the console's help is that of its own version and needs no other server:
// `trivium:help` has a function for each page of docs/ that loads its Markdown; `trivium:help/sections` is what the search reads.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'
import { sectionsOf } from './src/pages/help/sections.ts'

const DOCS = join(import.meta.dir, '../../docs')

/** Decisions are for those who change the program. */
const isPage = (path: string): boolean => path.endsWith('.md') && !path.startsWith('decisions')

/** Empty where the program is installed without its documentation. */
function pages(): string[] {
  try {
    return readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).map(posix).filter(isPage).sort()
  } catch {
    return []
  }
}

const sections = () =>
  pages().flatMap((path) => sectionsOf(path.slice(0, -'.md'.length), readFileSync(join(DOCS, path), 'utf8')))

const posix = (path: string): string => path.replaceAll('\\', '/')

export const help: BunPlugin = {
  name: 'help',
  setup(build) {
    build.onResolve({ filter: /^trivium:help/ }, ({ path }) => ({ path, namespace: 'trivium-help' }))
    build.onLoad({ filter: /^trivium:help$/, namespace: 'trivium-help' }, () => {
      const entries = pages().map(
        (path) =>
          `${JSON.stringify(path.slice(0, -'.md'.length))}: () => import(${JSON.stringify(join(DOCS, path))}, { with: { type: 'text' } })`,
      )
      return { contents: `export const PAGES = { ${entries.join(', ')} }`, loader: 'js' }
    })
    build.onLoad({ filter: /^trivium:help\/sections$/, namespace: 'trivium-help' }, () => ({
      contents: `export const SECTIONS = ${JSON.stringify(sections())}`,
      loader: 'js',
    }))
  },
}

// The documentation as a module of the web app: `trivium:help` has a function for each page of docs/ that loads its Markdown, so that the
// console's help is that of its own version and needs no other server.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'
import { documentOf, firstSentence } from './src/pages/help/document.ts'

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

/** What the console finds pages by, without loading them. */
const index = () =>
  pages().map((path) => {
    const markdown = readFileSync(join(DOCS, path), 'utf8')
    const { title = path } = documentOf(markdown)
    return { page: path.slice(0, -'.md'.length), title, text: firstSentence(markdown) }
  })

const posix = (path: string): string => path.replaceAll('\\', '/')

export const help: BunPlugin = {
  name: 'help',
  setup(build) {
    build.onResolve({ filter: /^trivium:help$/ }, () => ({ path: 'pages', namespace: 'trivium-help' }))
    build.onLoad({ filter: /.*/, namespace: 'trivium-help' }, () => {
      const entries = pages().map(
        (path) =>
          `${JSON.stringify(path.slice(0, -'.md'.length))}: () => import(${JSON.stringify(join(DOCS, path))}, { with: { type: 'text' } })`,
      )
      const contents = `export const PAGES = { ${entries.join(', ')} }\nexport const INDEX = ${JSON.stringify(index())}`
      return { contents, loader: 'js' }
    })
  },
}

// The styles of the console: what Tailwind makes of the class names in the sources. Tailwind's own plugin for Bun finds the names with
// native code for nine platforms (27 MB), which every installation would have.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BunPlugin } from 'bun'
import { compile } from 'tailwindcss'

const SOURCE = join(import.meta.dir, 'src')
/** Whatever stands between spaces and quotes may be a class name: Tailwind ignores what is none. */
const BETWEEN_NAMES = /[\s"'`]+/

export const tailwind: BunPlugin = {
  name: 'tailwind',
  setup(build) {
    build.onLoad({ filter: /src\/styles\.css$/ }, async ({ path }) => ({
      contents: await stylesOf(readFileSync(path, 'utf8')),
      loader: 'css',
    }))
  },
}

async function stylesOf(css: string): Promise<string> {
  const { build } = await compile(css, { base: SOURCE, loadStylesheet })
  return build(candidates())
}

/** `tailwindcss` is the one style sheet that is imported by its name. */
async function loadStylesheet(id: string, base: string) {
  const path = id === 'tailwindcss' ? fileURLToPath(import.meta.resolve('tailwindcss/index.css')) : join(base, id)
  return { path, base, content: readFileSync(path, 'utf8') }
}

function candidates(): string[] {
  const names = [...new Bun.Glob('**/*.{ts,tsx,html}').scanSync(SOURCE)].sort()
  return [...new Set(names.flatMap((name) => readFileSync(join(SOURCE, name), 'utf8').split(BETWEEN_NAMES)))]
}

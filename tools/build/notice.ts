// NOTICE: what is inside an executable, and under which license. `npm run notice` writes it; a test compares it with the lockfile.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Component, components } from './components.ts'

const HEAD = `Trivium is licensed under the Apache License 2.0 (LICENSE).

It contains the packages below. An executable also contains Bun, which is licensed under the MIT License and links statically
to JavaScriptCore and WebCore (LGPL-2.1) and to other libraries, listed at https://bun.com/docs/project/license.
`

/** Packages with the same text stand together. */
export function noticeOf(found: readonly Component[]): string {
  const byText = new Map<string, Component[]>()
  for (const each of found) {
    const text = each.text || `${each.license} License`
    byText.set(text, [...(byText.get(text) ?? []), each])
  }
  const parts = [...byText].map(([text, group]) => {
    const names = group.map(({ name, version, license }) => `${name} ${version} (${license})`)
    return `${'-'.repeat(80)}\n${names.join('\n')}\n\n${text.replaceAll('\r\n', '\n')}\n`
  })
  return [HEAD, ...parts].join('\n')
}

if (import.meta.main) {
  const root = join(import.meta.dir, '../..')
  writeFileSync(join(root, 'NOTICE'), noticeOf(components(root)))
}

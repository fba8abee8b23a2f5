// The texts of the console in one language, as modules of the web app: `trivium:zh/i18n/texts/index.ts` is src/i18n/texts/index.ts with the Chinese of
// each `en('Usage').zh('用量')` only, so that a browser loads no language that it does not show.

import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { SETTING_FIELDS } from '@trivium/gateway/config/settings/table.ts'
import type { BunPlugin } from 'bun'

const SOURCE = join(import.meta.dir, 'src')

/** Before the second text of two. Both are constants and neither is empty, so that the minifier drops one. */
const CHOICES: Readonly<Record<string, string>> = { en: '??', zh: '&&' }

/** `en('Usage').zh('用量')` becomes `('Usage') && ('用量')`. What is no call any more must not end in a comma. */
function inOneLanguage(source: string, language: string): string {
  if (/\ben\(''\)/.test(source))
    throw new Error('an English text is empty, which would be shown instead of the Chinese')
  return source
    .replace(/\b(?:en(?:<[^(]*>)?|same|texts)\(/g, '(')
    .replace(/\)\.zh\(/g, `) ${CHOICES[language]} (`)
    .replace(/,(\s*\))/g, '$1')
}

/** `trivium:settings`: the gateway describes its settings in English, and the console has the Chinese of the same rows. */
const chineseSettings = (): string =>
  `export const CHINESE = ${JSON.stringify(Object.fromEntries(SETTING_FIELDS.map(({ id, chinese }) => [id, chinese])))}`

export const texts: BunPlugin = {
  name: 'texts',
  setup(build) {
    build.onResolve({ filter: /^trivium:settings$/ }, () => ({ path: 'settings', namespace: 'settings' }))
    build.onLoad({ filter: /.*/, namespace: 'settings' }, () => ({ contents: chineseSettings(), loader: 'js' }))
    for (const language of Object.keys(CHOICES)) {
      const prefix = `trivium:${language}/`
      /** Texts that an index lists are in its language. Whatever else texts import is a module as usual. */
      const imports = (source: string, path: string): string =>
        source.replace(/(export \* )?from '(\.[^']+)'/g, (_, listed = '', file) => {
          const target = posix.join(posix.dirname(path), file)
          return `${listed}from ${JSON.stringify(listed ? prefix + target : join(SOURCE, target))}`
        })
      build.onResolve({ filter: new RegExp(`^${prefix}`) }, ({ path }) => ({ path, namespace: 'texts' }))
      build.onLoad({ filter: new RegExp(`^${prefix}`), namespace: 'texts' }, (module) => {
        const path = module.path.slice(prefix.length)
        const source = readFileSync(join(SOURCE, path), 'utf8')
        return { contents: inOneLanguage(imports(source, path), language), loader: 'ts' }
      })
    }
  },
}

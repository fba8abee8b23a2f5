// A text of the console, in English and Chinese side by side: `title: en('Usage').zh('用量')`. A text without Chinese is a type error. The
// bundler leaves one language of each (../../texts-plugin.ts), so that no browser loads the other; `inLanguage` does so elsewhere.
import type { Language } from './locale.ts'

export class Said<T> {
  readonly en: T
  readonly zh: T
  constructor(en: T, zh: T) {
    this.en = en
    this.zh = zh
  }
}

type Text<Args extends unknown[]> = (...args: Args) => string

export function en<Args extends unknown[]>(en: Text<Args>): { zh(zh: Text<Args>): Said<Text<Args>> }
export function en<T>(en: T): { zh(zh: T): Said<T> }
export function en<T>(en: T) {
  return { zh: (zh: T) => new Said(en, zh) }
}

/** What needs no translation: a name, or nothing. */
export const same = <T>(text: T) => new Said(text, text)

type Tree = Said<unknown> | { readonly [name: string]: Tree }

type Resolved<T> = T extends Said<infer Text> ? Text : { [K in keyof T]: Resolved<T[K]> }

/** The texts of one page. Whoever shows them sees one language. */
export const texts = <T extends Tree>(tree: T) => tree as unknown as Resolved<T>

/** Also of the texts of many pages. */
export function inLanguage<T extends object>(tree: T, language: Language): T {
  const entries = Object.entries(tree).map(([name, value]) => [
    name,
    value instanceof Said ? value[language] : inLanguage(value, language),
  ])
  return Object.fromEntries(entries)
}

// How the parts of a snippet are written.

import { shellQuote } from '../literals.ts'
import type { CodeLanguage, Connection, FileLanguage, Localized, SetUp, SnippetPart } from '../types.ts'

export const install = (code: string): SnippetPart => ({ kind: 'install', code })
export const terminal = (...lines: readonly string[]): SnippetPart => ({ kind: 'terminal', code: lines.join('\n') })
export const code = (language: CodeLanguage, ...lines: readonly string[]): SnippetPart => ({
  kind: 'code',
  language,
  code: lines.join('\n'),
})
export const file = (path: string, language: FileLanguage, ...lines: readonly string[]): SnippetPart => ({
  kind: 'file',
  path,
  language,
  code: lines.join('\n'),
})

/** A word of a shell, without quotes where the shell takes it literally. */
export const word = (text: string): string => (/^[\w:/.@%+,-]+$/.test(text) ? text : shellQuote(text))

/** A text in double quotes: JSON, TOML, YAML, Go and Java escape alike what these texts can contain. */
export const quoted = (text: string): string => JSON.stringify(text)

/** The variable that our examples keep the key in, where the client lets its user choose. */
export const KEY_VARIABLE = 'GATEWAY_API_KEY'
export const exportKey = ({ secret }: SetUp): string => `export ${KEY_VARIABLE}=${word(secret)}`

type Label = string | Localized

/** A form that asks for a key, a base URL and a model. */
export const form =
  (where: Localized, labels: { key: Label; baseUrl: Label; model: Label }): Connection['parts'] =>
  ({ base, secret, model }) => [
    {
      kind: 'form',
      where,
      fields: [
        { label: labels.key, value: secret },
        { label: labels.baseUrl, value: base },
        { label: labels.model, value: model },
      ],
    },
  ]

// Section `console`: how the console presents itself to account holders.

import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { fieldsOf } from '../../yaml/fields.ts'
import { readText } from '../../yaml/scalars.ts'
import type { ConsoleConfig } from '../types.ts'

export const CONSOLE_DEFAULTS: ConsoleConfig = { name: 'Trivium', supportUrl: undefined }
const LONGEST_NAME = 60

export function readConsole(value: YamlValue): ConsoleConfig | undefined {
  const fields = fieldsOf(
    value,
    { name: true, support_url: true },
    'console: { name: Trivium, support_url: "https://example.com/help" }',
  )
  return (
    fields && {
      name: fields.optional('name', readName, CONSOLE_DEFAULTS.name),
      supportUrl: fields.optional('support_url', readSupportUrl, CONSOLE_DEFAULTS.supportUrl),
    }
  )
}

/** It is part of the subject of emails and of the label in authenticator apps. */
function readName(value: YamlValue): string | undefined {
  const name = readText(value)
  if (name === undefined || (name.length <= LONGEST_NAME && !/[\p{C}:]/u.test(name))) return name
  addMistake(value, `must be one line of at most ${LONGEST_NAME} characters without a colon`)
  return undefined
}

function readSupportUrl(value: YamlValue): string | undefined {
  const text = readText(value)
  if (text === undefined || (URL.canParse(text) && /^(https?:\/\/|mailto:)\S+$/i.test(text))) return text
  addMistake(value, 'is not an http://, https:// or mailto: URL; write one such as https://example.com/help')
  return undefined
}

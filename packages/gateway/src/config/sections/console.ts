// Section `console`: how the console presents itself to account holders.

import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { fieldsOf } from '../../yaml/fields.ts'
import { readText } from '../../yaml/scalars.ts'
import { readRows, rulesOf, setting, written } from '../settings/setting.ts'

const LONGEST_NAME = 60

export const CONSOLE = {
  name: setting('name', written('text', readName), 'Trivium', {
    en: 'The name of the gateway in the console and in emails.',
    zh: '控制台和邮件中显示的网关名称。',
  }),
  supportUrl: setting('support_url', written('url', readSupportUrl), undefined, {
    en: 'Where account holders ask for help: https:// or mailto:.',
    zh: '账户持有人寻求帮助的地址：https:// 或 mailto:。',
  }),
}

export function readConsole(value: YamlValue) {
  const example = 'console: { name: Trivium, support_url: "https://example.com/help" }'
  const fields = fieldsOf(value, rulesOf(CONSOLE), example)
  return fields && readRows(fields, CONSOLE)
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

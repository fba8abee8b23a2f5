// Section `mail`: the SMTP server that sends emails to account holders.
import { readFileSync } from 'node:fs'
import { addMistake, type YamlValue } from '../../yaml/document.ts'
import { fieldsOf, scalarText } from '../../yaml/fields.ts'
import { readPath, readText } from '../../yaml/scalars.ts'
import { rulesOf, setting, written } from '../settings/setting.ts'
import { describeSystemError } from '../system-error.ts'
import type { MailConfig } from '../types.ts'

export const MAIL = {
  url: setting('url', written('url', readSmtpUrl), undefined, {
    en: 'The mail server: smtps://user:password@host, or smtp:// with STARTTLS.',
    zh: '邮件服务器：smtps://用户:密码@主机，或使用 STARTTLS 的 smtp://。',
    mark: 'secret',
  }),
  from: setting('from', written('text', readSender), undefined, {
    en: 'The sender, such as Gateway <gateway@example.com>.',
    zh: '发件人，例如 Gateway <gateway@example.com>。',
  }),
  ca: setting('ca', written('path', readCertificates), undefined, {
    en: "Certificates that sign the mail server's.",
    zh: '签发邮件服务器证书的 CA 证书。',
    mark: 'file only',
  }),
}
const EXAMPLE = 'mail: { url: "smtps://user:password@smtp.example.com", from: gateway@example.com }'
const URL_EXAMPLE = 'smtps://user:password@smtp.example.com'

export function readMail(value: YamlValue): MailConfig | undefined {
  const fields = fieldsOf(value, rulesOf(MAIL), EXAMPLE)
  if (!fields) return undefined
  const url = fields.required('url', readSmtpUrl, `such as ${URL_EXAMPLE}`)
  const from = fields.required('from', readSender, 'such as gateway@example.com')
  const ca = fields.optional<string | undefined>('ca', readCertificates, undefined)
  if (url === undefined || from === undefined) return undefined
  return { url, from, ...(ca === undefined ? {} : { ca }) }
}

/** Messages never repeat it: it contains a password. */
function readSmtpUrl(value: YamlValue): string | undefined {
  const text = scalarText(value, `a URL, such as ${URL_EXAMPLE}`)
  if (text === undefined) return undefined
  const url = /^smtps?:\/\/\S+$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.hostname === '') {
    addMistake(value, `is not an smtp:// or smtps:// URL; write it like ${URL_EXAMPLE}`)
    return undefined
  }
  if (url.pathname.length > 1 || url.hash !== '') {
    addMistake(value, 'has a path; write user, password, host and port only, and a / in a password as %2F')
    return undefined
  }
  const options = [...url.searchParams]
  if (options.length > 0 && (options.length > 1 || url.search !== '?tls=off' || url.protocol === 'smtps:')) {
    addMistake(value, 'the only option is ?tls=off of an smtp:// URL, which sends without encryption')
    return undefined
  }
  if (![url.username, url.password].every(isDecodable)) {
    addMistake(value, 'user and password must be percent-encoded; write % as %25')
    return undefined
  }
  return text
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

function readSender(value: YamlValue): string | undefined {
  const text = readText(value)
  if (text === undefined || /^(?:[^<>@\r\n"]+ <)?[^\s<>@"]+@[^\s<>@"]+>?$/.test(text)) return text
  addMistake(value, 'is not an email address; write gateway@example.com or Gateway <gateway@example.com>')
  return undefined
}

/** Read at once: a wrong path is a mistake in the file, not an email that is never sent. */
function readCertificates(value: YamlValue): string | undefined {
  const file = readPath(value)
  if (file === undefined) return undefined
  try {
    const pem = readFileSync(file, 'utf8')
    if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem
    addMistake(value, `${file} does not contain a certificate in PEM format`)
  } catch (error) {
    addMistake(value, `cannot read ${file}: ${describeSystemError(error)}`)
  }
  return undefined
}

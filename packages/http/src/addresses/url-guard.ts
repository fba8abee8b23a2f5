// Classifies a URL that a caller wants to have sent to an upstream. By its text only: names are not resolved. Pure.
import { isMetadataAddress, kindOf, parseIp } from './ip-address.ts'

/**
 * - `public`: the public internet; also a data URL, and text that is not a URL.
 * - `private`: this machine or its network.
 * - `object`: an object stored at a vendor, under the operator's account.
 * - `forbidden`: another scheme, a metadata service, or a host that parsers may read differently.
 */
export type UrlClass = 'public' | 'private' | 'object' | 'forbidden'

const LONGEST_AUTHORITY = 1_024
const OBJECT_SCHEMES: ReadonlySet<string> = new Set(['gs', 's3'])

const LOOPBACK_NAME = /^(?:(?:.*\.)?localhost|localhost\.localdomain|ip6-(?:localhost|loopback))$/
const METADATA_NAME = /^(?:metadata\.google\.internal|metadata\.goog|metadata|instance-data(?:\.ec2\.internal)?)$/

export function classifyUrl(written: string): UrlClass {
  // URL parsers remove leading whitespace, and tabs and line ends anywhere.
  const text = written.replace(/^[\0- ]+/, '').replace(/[\t\n\r]/g, '')
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text.slice(0, 64))?.[1]?.toLowerCase()
  if (scheme === undefined) return withoutScheme(text)
  if (scheme === 'data') return 'public'
  if (OBJECT_SCHEMES.has(scheme)) return 'object'
  return scheme === 'http' || scheme === 'https' ? judgeHost(text) : 'forbidden'
}

/** `//host/path`, or `127.0.0.1:8080/path` as people type it. Base64, file names and ids are not URLs. */
function withoutScheme(text: string): UrlClass {
  if (/^[/\\]{2}/.test(text)) return judgeHost(`http:${text}`)
  const start = /^[^/?#\\]{1,256}/.exec(text.slice(0, 257))?.[0] ?? ''
  if (!/[.:%\u3002\uff0e]|localhost/i.test(start)) return 'public'
  return URL.canParse(`http://${start}`) ? judgeHost(`http://${start}`) : 'public'
}

/** The name that a resolver would be asked for. undefined: an address, this machine by its usual names, or no URL with a host. */
export function hostNameOf(written: string): string | undefined {
  const text = written.replace(/^[\0- ]+/, '').replace(/[\t\n\r]/g, '')
  const url = /^[/\\]{2}/.test(text) ? `http:${text}` : text
  if (!/^https?:/i.test(url.slice(0, 8)) || !URL.canParse(url)) return undefined
  const host = new URL(url).hostname.replace(/\.+$/, '')
  const isNamed = host !== '' && !host.startsWith('[') && parseIp(host) === undefined && !LOOPBACK_NAME.test(host)
  return isNamed ? host : undefined
}

/** By its text: a name in the guise of another is known only when it is resolved. */
export function isMetadataUrl(written: string): boolean {
  if (!URL.canParse(written)) return false
  const host = plainHost(written)
  const ip = parseIp(host)
  return ip === undefined ? isMetadataName(host) : isMetadataAddress(ip)
}

/** In lower case, without the dot at the end. */
export const isMetadataName = (host: string): boolean => METADATA_NAME.test(host)

/** Without brackets, and without dots at its end. */
const plainHost = (url: string): string => new URL(url).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.+$/, '')

function judgeHost(text: string): UrlClass {
  const authority = /^https?:[/\\]*([^/?#]*)/i.exec(text)?.[1] ?? ''
  // Parsers disagree on `\`, which some treat as `/`, and on a second `@`.
  if (authority.length > LONGEST_AUTHORITY || /[\\\0- ]|@.*@/.test(authority) || !URL.canParse(text)) return 'forbidden'
  const host = plainHost(text)
  const ip = parseIp(host)
  if (ip !== undefined) {
    const kind = kindOf(ip)
    return kind === 'public' || kind === 'private' ? kind : 'forbidden'
  }
  if (host === '' || isMetadataName(host)) return 'forbidden'
  return LOOPBACK_NAME.test(host) ? 'private' : 'public'
}

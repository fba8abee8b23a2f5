// What a service of credentials answered, and why there is no credential in it: without secrets, also if the answer repeats them.
import { safeText } from '../../../observe/safe-text.ts'
import type { PublicAnswer } from '../../public/ask-public.ts'
import { SourceFailed } from '../credential.ts'

type About = {
  /** The source, the step and the URL. */
  what: string
  secrets: readonly string[]
  now(): number
}

export type JsonObject = Readonly<Record<string, unknown>>

/** A clock that is wrong by more makes signatures and tokens invalid. */
const MOST_SKEW_MS = 120_000

export class CredentialAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly #about: About
  readonly #receivedAt: number

  constructor({ status, headers, bytes }: PublicAnswer, about: About) {
    this.status = status
    this.headers = headers
    this.text = Buffer.from(bytes).toString()
    this.#about = about
    this.#receivedAt = about.now()
  }

  get isOk(): boolean {
    return this.status === 200
  }

  /** Throws unless it succeeded and is a JSON object. `advice`: what to change where the service rejects the request. */
  object(advice: string): JsonObject {
    if (!this.isOk) throw this.rejected(advice)
    const found = objectIn(this.text)
    if (found === undefined) throw this.malformed('is not a JSON object')
    return found
  }

  /** Text that a header can carry. */
  field(from: JsonObject, name: string): string {
    const value = from[name]
    if (typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) return value
    throw this.malformed(`has no ${name}`)
  }

  /** When something ends whose lifetime in seconds is a field, which some services write as text. */
  endAfter(from: JsonObject, name: string): number {
    const seconds = Number(from[name] ?? Number.NaN)
    if (!(seconds > 0 && seconds < 1e9)) throw this.malformed(`has no ${name}`)
    return this.#receivedAt + seconds * 1000
  }

  /** The same of a date, by the clock of the service: where ours is wrong, the lifetime is still right. */
  endAt(date: number): number {
    if (Number.isNaN(date)) throw this.malformed('does not say when the credential expires')
    const sentAt = Date.parse(this.headers.date ?? '')
    return Number.isNaN(sentAt) ? date : this.#receivedAt + date - sentAt
  }

  malformed(how: string): SourceFailed {
    return new SourceFailed(`${this.#about.what}: the answer ${how}`)
  }

  rejected(advice: string): SourceFailed {
    const reason = this.#safe(reasonIn(this.text))
    const told = reason === '' ? '' : `: ${reason}`
    return new SourceFailed(`${this.#about.what} answers with status ${this.status}${told}. ${this.#clock()}${advice}`)
  }

  #safe(text: string): string {
    return safeText(this.#about.secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)).replace(
      /\.$/,
      '',
    )
  }

  #clock(): string {
    const ahead = this.#receivedAt - Date.parse(this.headers.date ?? '')
    if (!(Math.abs(ahead) > MOST_SKEW_MS)) return ''
    const minutes = Math.round(Math.abs(ahead) / 60_000)
    return `The clock of this machine is ${minutes} minutes ${ahead > 0 ? 'ahead' : 'behind'}: correct it. `
  }
}

export function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

/** The text of an element of XML without attributes, as STS writes it. */
export function elementIn(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
  return text?.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => ENTITIES[entity] ?? '').trim()
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

/** In the words of AWS, Google and Entra. */
function reasonIn(text: string): string {
  const object = objectIn(text)
  if (object === undefined) return [elementIn(text, 'Code'), elementIn(text, 'Message')].filter(Boolean).join(': ')
  const inner = typeof object.error === 'object' && object.error !== null ? (object.error as JsonObject) : object
  const code = [inner.error, inner.status, inner.code, inner.Code].find((each) => typeof each === 'string')
  const message = [inner.error_description, inner.message, inner.Message].find((each) => typeof each === 'string')
  return [code, message].filter(Boolean).join(': ')
}

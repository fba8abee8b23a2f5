// Parses a body in turn with those of other accounts, and a large one in several steps, so that the event loop goes on in between: what
// is checked on its bytes, the decoding of its text, JSON.parse, and what is made of the value.
//
// A thread would not help: its value would have to be cloned, which takes several times as long as parsing it.

import type { Client } from '@trivium/http/request.ts'
import type { Codec } from '@trivium/protocol/framing/codec.ts'
import { codec } from '../bytes/codec.ts'
import { inTurn, type Turns } from './turns.ts'

/** Smaller bodies are parsed at once. */
export const SLICED_BYTES = 1024 * 1024

/** Thrown where a reader needs the value of a large body; it is called again with the value. */
const NOT_PARSED = Symbol('not parsed')

/** `read` is pure, apart from what may be done twice: it is called again once the body has been parsed, unless it did not need that. */
export function parseInTurn<T>(
  body: Uint8Array,
  client: Client,
  slot: Turns,
  read: (codec: Codec) => T,
): T | Promise<T> {
  if (body.length <= SLICED_BYTES) return inTurn(body.length, client, slot, () => read(codec))
  return inSteps(body, client, slot, read)
}

async function inSteps<T>(body: Uint8Array, client: Client, slot: Turns, read: (codec: Codec) => T): Promise<T> {
  const first = await inTurn(body.length, client, slot, () => readBytes(body, read))
  if (first !== NOT_PARSED) return first
  // What has begun is not rejected any more.
  const patient = new Patient(client)
  const step = <R>(work: () => R) => inTurn(body.length, patient, slot, work)
  const text = await step(() => codec.decode(body, 0, body.length))
  const value = await step(() => parsed(text))
  // The parser says what is wrong with a body that is no JSON.
  const own = value && { ...codec, parse: (bytes: Uint8Array) => (bytes === body ? value.json : codec.parse(bytes)) }
  return step(() => read(own ?? codec))
}

/** What is read without a parser. */
function readBytes<T>(body: Uint8Array, read: (codec: Codec) => T): T | typeof NOT_PARSED {
  let isReading = true
  const parse = (bytes: Uint8Array): unknown => {
    if (isReading && bytes === body) throw NOT_PARSED
    return codec.parse(bytes)
  }
  try {
    return read({ ...codec, parse })
  } catch (thrown) {
    if (thrown !== NOT_PARSED) throw thrown
    return NOT_PARSED
  } finally {
    isReading = false
  }
}

function parsed(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}

class Patient implements Client {
  readonly isPatient = true
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  get isDisconnected(): boolean {
    return this.#client.isDisconnected
  }

  get onDisconnect(): (() => void) | undefined {
    return this.#client.onDisconnect
  }

  set onDisconnect(run: (() => void) | undefined) {
    this.#client.onDisconnect = run
  }
}

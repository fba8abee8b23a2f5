// What an operator sets so that a gateway calls the court as its vendor, and the wait until it does.
import { callIn } from '../../test/support/requests/dialect-calls.ts'
import { DIALECTS } from '../cell.ts'
import type { CourtOptions } from '../runner.ts'
import { PRICE, type Vendor } from './vendor.ts'

export const howToConfigure = (origin: string): string =>
  [
    'The vendor is ready. Configure the gateway with it, any key, no retries, no circuit breaker, timeouts below 12 s:',
    `  Chat Completions, Responses   ${origin}/v1        models sandbox-text, sandbox-embedding, sandbox-image`,
    `  Messages                      ${origin}           model sandbox-text`,
    `  generateContent               ${origin}/v1beta    model sandbox-text`,
    `Price: ${PRICE.input} USD per million tokens of input, ${PRICE.output} of output.`,
  ].join('\n')

const WITHIN_MS = 600_000
const EVERY_MS = 2_000

/** Asks the gateway again and again, until one of its answers has come from the vendor. */
export async function untilReached(vendor: Vendor, at: Pick<CourtOptions, 'gateway' | 'key' | 'models' | 'headers'>) {
  const model = at.models.text?.[0]
  if (model === undefined) return
  const end = Date.now() + WITHIN_MS
  const mark = 'court-configure-0'
  let last = ''
  while (Date.now() < end) {
    for (const dialect of DIALECTS) {
      const { gateway, key, headers = {} } = at
      const prompt = `Hello (${mark}).`
      const response = await callIn(dialect, gateway, key, { model, prompt, headers }).catch(() => undefined)
      const text = await response?.text()
      if (vendor.callsOf(mark).length > 0) return
      const words = response ? `${response.status} ${text?.slice(0, 200)}` : 'no answer'
      if (words !== last) console.error(`The gateway has not called the vendor yet: ${words}`)
      last = words
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
  throw new Error('the gateway did not call the vendor within 10 minutes')
}

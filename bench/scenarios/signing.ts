// What a signature of AWS costs beyond the hash of the body, which nobody can leave out. Measured in this process: a request of a
// gateway has nothing else that one with a key does not have.
import { createSigner } from '@trivium/gateway/upstreams/credentials/signer.ts'
import { micros, type Scenario, verdict } from '../harness/scenario.ts'
import { agentRequest, smallRequest } from '../harness/wire.ts'

const CALLS = 2_000
const LIMIT_US = 25
const KEYS = { accessKey: 'AKIDEXAMPLE', secretKey: 'secret'.repeat(7), sessionToken: 'token'.repeat(200) }
const URL = 'https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1/chat/completions'

export const signing: Scenario = {
  number: 23,
  title: 'A signature of AWS',
  async run({ rounds, say }) {
    const rows: string[][] = []
    const verdicts = []
    for (const [name, text] of [
      ['small request', smallRequest('bench', false)],
      ['24 tools', agentRequest('bench', false)],
    ] as const) {
      say(`  ${name}`)
      const body = Buffer.from(text)
      const sign = createSigner({ service: 'bedrock', region: 'us-east-1' })
      const request = { method: 'POST', url: URL, headers: { 'content-type': 'application/json' }, body: [body] }
      const hashed = await best(rounds, () => void new Bun.CryptoHasher('sha256').update(body).digest('hex'))
      const signed = await best(rounds, () => sign(request, KEYS, Date.now()))
      rows.push([name, `${body.length}`, micros(hashed), micros(signed)])
      verdicts.push(verdict(`${name}: signature beyond the hash of the body`, signed - hashed, LIMIT_US, micros))
    }
    return { columns: ['', 'bytes', 'SHA-256', 'signature'], rows, verdicts }
  },
}

/** Microseconds of CPU per call in the best of many rounds: other programs share the machine. */
async function best(rounds: number, work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 10 * rounds; round++) {
    const from = process.cpuUsage()
    for (let call = 0; call < CALLS; call++) await work()
    const { user, system } = process.cpuUsage(from)
    least = Math.min(least, (user + system) / CALLS)
  }
  return least
}

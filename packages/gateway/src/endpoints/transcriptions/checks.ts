// How an upstream's transcriptions are checked.
import type { EndpointChecks } from '../../upstreams/diagnostics/endpoint-checks.ts'
import { hasText, type ServiceCheck, streams } from '../../upstreams/diagnostics/service-check.ts'

const transcribe = (
  row: string,
  format: string,
  judge: ServiceCheck['judge'],
  isOptional?: true,
  more: Readonly<Record<string, string>> = {},
): ServiceCheck => ({
  row,
  body(model) {
    const form = new FormData()
    form.append('model', model)
    form.append('response_format', format)
    for (const [name, value] of Object.entries(more)) form.append(name, value)
    form.append('file', new File([tone()], 'tone.wav', { type: 'audio/wav' }))
    return form
  },
  counted: { audio_seconds: 1 },
  most: { input: 200, audio_input: 200, output: 200 },
  judge,
  ...(isOptional ? { isOptional } : {}),
})

export const checks = {
  services: {
    transcriptions: [
      transcribe('json', 'json', hasText),
      transcribe(
        'verbose json',
        'verbose_json',
        (reply) =>
          Number.isFinite(Number(Object(reply).duration)) ? hasText(reply) : { absent: 'the response has no duration' },
        true,
      ),
      transcribe('stream', 'json', streams('transcript.text.delta', 'transcript.text.done'), true, { stream: 'true' }),
    ],
  },
} satisfies EndpointChecks

const RATE = 16_000

/** One second of 440 Hz in 16 bits: nothing is said in it. */
function tone(): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.alloc(44 + 2 * RATE)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(36 + 2 * RATE, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(RATE, 24)
  bytes.writeUInt32LE(2 * RATE, 28)
  bytes.writeUInt16LE(2, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(2 * RATE, 40)
  for (let at = 0; at < RATE; at++)
    bytes.writeInt16LE(Math.round(8_000 * Math.sin((2 * Math.PI * 440 * at) / RATE)), 44 + 2 * at)
  return new Uint8Array(bytes)
}

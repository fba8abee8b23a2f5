// How an upstream's speech is checked.
import type { EndpointChecks } from '../../upstreams/diagnostics/endpoint-checks.ts'
import { json, type ServiceCheck, streams } from '../../upstreams/diagnostics/service-check.ts'

const speak = (format: string, mark: RegExp, isOptional?: true, more: object = {}): ServiceCheck => ({
  row: format,
  body: (model) => json({ model, input: 'Hello.', voice: 'alloy', response_format: format, ...more }),
  counted: { characters: 6 },
  most: { input: 50, audio_output: 500, audio_seconds: 10 },
  judge: (_, text) =>
    mark.test(text) ? undefined : `the response is not ${format}: ${JSON.stringify(text.slice(0, 40))}`,
  ...(isOptional ? { isOptional } : {}),
})

export const checks = {
  services: {
    // A response is read as UTF-8, in which the first byte of a bare frame of MP3 is not a character.
    speech: [
      speak('mp3', /^(?:ID3|\uFFFD)/),
      speak('wav', /^RIFF/, true),
      {
        ...speak('mp3', /^/, true, { stream_format: 'sse' }),
        row: 'stream',
        judge: streams('speech.audio.delta', 'speech.audio.done'),
      },
    ],
  },
} satisfies EndpointChecks

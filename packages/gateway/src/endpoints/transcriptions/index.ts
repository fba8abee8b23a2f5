// Text from speech.
import type { Endpoint, EndpointRoute } from '../endpoint.ts'
import { type Json, MODEL, open, STREAM, STRING } from '../schema.ts'

const AUDIO_FILE: Json = { ...STRING, contentMediaType: 'audio/*' }
const TRANSCRIPTION = open(
  { model: MODEL, file: AUDIO_FILE },
  { response_format: STRING, prompt: STRING, temperature: { type: 'number' }, ...STREAM },
)
const TRANSCRIPT: EndpointRoute = {
  body: {
    schema: TRANSCRIPTION,
    example: { model: 'sandbox-transcription', file: 'speech.wav' },
    files: { file: { contentType: 'audio/*, video/*' } },
  },
  responses: { 200: { schema: open({ text: STRING }), stream: true, types: ['text/plain', 'text/vtt'] } },
}

export const transcriptions = {
  title: 'Transcription',
  tag: 'Audio',
  offered: ['transcriptions'],
  services: { transcriptions: '/audio/transcriptions', translations: '/audio/translations' },
  figures: { usual: ['per_minute'], all: ['per_minute', 'input', 'cached_input', 'audio_input', 'output'] },
  words: {
    en: {
      name: 'Transcription',
      units: { per_minute: 'per minute of audio', audio_input: 'per million audio tokens' },
      figures: { per_minute: 'Per minute of audio', audio_input: 'Audio input' },
      limits: { megabytes: 'File, MB' },
      receipt: { audio_seconds: 'Seconds of audio', audio_input: 'Audio input tokens' },
    },
    zh: {
      name: '语音转写',
      units: { per_minute: '/ 分钟音频', audio_input: '/ 百万音频 Token' },
      figures: { per_minute: '每分钟音频', audio_input: '音频输入' },
      limits: { megabytes: '文件（MB）' },
      receipt: { audio_seconds: '音频秒数', audio_input: '音频输入 Token' },
    },
  },
  routes: {
    'audio-transcriptions': TRANSCRIPT,
    'audio-translations': TRANSCRIPT,
  },
} as const satisfies Endpoint

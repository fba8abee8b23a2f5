// Speech from text, and its voices.
import type { Endpoint } from '../endpoint.ts'
import { list, MODEL, open, STRING } from '../schema.ts'

export const speech = {
  title: 'Speech',
  tag: 'Audio',
  offered: ['speech'],
  services: { speech: '/audio/speech' },
  figures: {
    usual: ['per_million_characters'],
    all: ['per_million_characters', 'per_minute', 'input', 'audio_output'],
    output: 'audio_output',
  },
  words: {
    en: {
      name: 'Speech',
      units: {
        per_million_characters: 'per million characters',
        per_minute: 'per minute of audio',
        audio_output: 'per million audio tokens',
      },
      figures: {
        per_million_characters: 'Per million characters',
        per_minute: 'Per minute of audio',
        audio_output: 'Audio output',
      },
      limits: { characters: 'Characters' },
      receipt: { characters: 'Characters', audio_seconds: 'Seconds of audio' },
    },
    zh: {
      name: '语音',
      units: { per_million_characters: '/ 百万字符', per_minute: '/ 分钟音频', audio_output: '/ 百万音频 Token' },
      figures: { per_million_characters: '每百万字符', per_minute: '每分钟音频', audio_output: '音频输出' },
      limits: { characters: '字符数' },
      receipt: { characters: '字符', audio_seconds: '音频秒数' },
    },
  },
  routes: {
    speech: {
      body: {
        schema: open(
          { model: MODEL, input: STRING },
          {
            voice: { anyOf: [STRING, open({ id: STRING })] },
            instructions: STRING,
            speed: { type: 'number', minimum: 0.25, maximum: 4 },
            response_format: { ...STRING, enum: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] },
            stream_format: { ...STRING, enum: ['audio', 'sse'] },
          },
        ),
        example: { model: 'sandbox-speech', input: 'Hello', voice: 'alloy' },
      },
      responses: { 200: { types: ['audio/*'], stream: true } },
    },
    'list-speech-models': {
      responses: { 200: { schema: open({ models: list(open({ id: STRING, name: STRING, voices: list(STRING) })) }) } },
    },
    'list-voices': {
      responses: { 200: { schema: open({ voices: list(open({ id: STRING, name: STRING, models: list(STRING) })) }) } },
    },
  },
} as const satisfies Endpoint

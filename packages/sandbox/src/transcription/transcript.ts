// The fixed transcript of audio of some length: one sentence for every four seconds, in every format.

export type Transcript = { seconds: number; segments: readonly Segment[] }
type Segment = { id: number; start: number; end: number; text: string; speaker: string }

const SENTENCES = [
  'The lighthouse keeper counts the ships at night.',
  'The tide is highest at noon.',
  'Nobody answers the radio.',
  'The fog lifts before the morning.',
]
const SECONDS_PER_SENTENCE = 4
const MOST_SEGMENTS = 10_000

/** `speakers`: names of those who speak, in turns. */
export function transcriptOf(seconds: number, speakers: readonly string[]): Transcript {
  const count = Math.min(MOST_SEGMENTS, Math.max(1, Math.ceil(seconds / SECONDS_PER_SENTENCE)))
  const segments = Array.from({ length: count }, (_, id) => ({
    id,
    start: id * SECONDS_PER_SENTENCE,
    end: id === count - 1 ? Math.max(seconds, id * SECONDS_PER_SENTENCE) : (id + 1) * SECONDS_PER_SENTENCE,
    text: SENTENCES[id % SENTENCES.length] ?? '',
    speaker: speakers[id % speakers.length] ?? '',
  }))
  return { seconds, segments }
}

export const textOf = ({ segments }: Transcript): string => `[sandbox] ${segments.map(({ text }) => text).join(' ')}`

export const usageOf = ({ seconds }: Transcript) => ({ type: 'duration', seconds })

export const subtitles = ({ segments }: Transcript, format: 'srt' | 'vtt'): string => {
  const cues = segments.map(({ id, start, end, text }) => {
    const times = `${time(start, format)} --> ${time(end, format)}`
    return format === 'srt' ? `${id + 1}\n${times}\n${text}\n` : `${times}\n${text}\n`
  })
  return `${format === 'vtt' ? 'WEBVTT\n\n' : ''}${cues.join('\n')}\n`
}

function time(seconds: number, format: 'srt' | 'vtt'): string {
  const text = new Date(Math.round(seconds * 1_000)).toISOString().slice(11, 23)
  return format === 'srt' ? text.replace('.', ',') : text
}

export function verbose(transcript: Transcript, task: string, granularities: readonly string[]) {
  const { seconds: duration, segments } = transcript
  return {
    task,
    language: 'english',
    duration,
    text: textOf(transcript),
    ...(granularities.includes('word') ? { words: segments.flatMap(wordsOf) } : {}),
    ...(granularities.includes('word') && !granularities.includes('segment') ? {} : { segments: segments.map(timed) }),
    usage: usageOf(transcript),
  }
}

const timed = ({ id, start, end, text }: Segment) => ({
  id,
  seek: 0,
  start,
  end,
  text,
  tokens: [],
  temperature: 0,
  avg_logprob: -0.1,
  compression_ratio: 1,
  no_speech_prob: 0,
})

function wordsOf({ start, end, text }: Segment) {
  const words = text.split(' ')
  const at = (index: number) => start + ((end - start) * index) / words.length
  return words.map((word, index) => ({ word, start: at(index), end: at(index + 1) }))
}

export const diarized = (transcript: Transcript) => ({
  task: 'transcribe',
  duration: transcript.seconds,
  text: textOf(transcript),
  segments: transcript.segments.map(spoken),
  usage: usageOf(transcript),
})

export const spoken = ({ id, start, end, text, speaker }: Segment) => ({
  type: 'transcript.text.segment',
  id: `seg_${id}`,
  start,
  end,
  text,
  speaker,
})

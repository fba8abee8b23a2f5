// Fields that OpenAI's models have, and others that are called in the same way do not.

/** Fields of transcriptions that only OpenAI has: probabilities, how audio is cut, and samples of voices. */
export const OWN_TO_OPENAI = [
  'include',
  'chunking_strategy',
  'known_speaker_names',
  'known_speaker_references',
] as const

/** Fields that services without streamed transcripts lack. */
export const UNSTREAMED = [...OWN_TO_OPENAI, 'stream'] as const

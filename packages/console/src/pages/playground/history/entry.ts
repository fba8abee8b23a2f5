// What the playground keeps of a call.

export type Kind = 'text' | 'image' | 'video' | 'embedding' | 'speech' | 'transcription'
/** `at`: milliseconds since 1970. */
export type Entry = { id: string; at: number }

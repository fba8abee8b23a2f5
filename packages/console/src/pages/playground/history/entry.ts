// What the playground keeps of a call.

/** The tabs: the type of their models, the protocol in which these are called, and how many calls are kept. */
export const KINDS = {
  text: { type: 'text', protocol: 'chat', most: 50 },
  completion: { type: 'text', protocol: 'completions', most: 30 },
  image: { type: 'image', protocol: 'images', most: 30 },
  video: { type: 'video', protocol: 'video-tasks', most: 30 },
  embedding: { type: 'embedding', protocol: 'embeddings', most: 30 },
  speech: { type: 'speech', protocol: 'speech', most: 30 },
  transcription: { type: 'transcription', protocol: 'transcriptions', most: 30 },
} as const
export type Kind = keyof typeof KINDS

/** `at`: milliseconds since 1970. */
export type Entry = { id: string; at: number }

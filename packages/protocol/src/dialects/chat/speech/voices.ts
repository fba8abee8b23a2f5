// The voices of this dialect's vendor, by its documentation.

const EVERY_MODEL = ['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer'] as const
const NEWER_MODELS = ['ballad', 'cedar', 'marin', 'verse'] as const

/** `model`: by its name at the vendor. */
export const chatVoices = (model: string): readonly string[] =>
  model.startsWith('tts-1') ? EVERY_MODEL : [...EVERY_MODEL, ...NEWER_MODELS].toSorted()

// The voices of this dialect's vendor, by its documentation, and those that stand in for the voices of another.

export const CONTENT_VOICES = [
  'Achernar',
  'Achird',
  'Algenib',
  'Algieba',
  'Alnilam',
  'Aoede',
  'Autonoe',
  'Callirrhoe',
  'Charon',
  'Despina',
  'Enceladus',
  'Erinome',
  'Fenrir',
  'Gacrux',
  'Iapetus',
  'Kore',
  'Laomedeia',
  'Leda',
  'Orus',
  'Puck',
  'Pulcherrima',
  'Rasalgethi',
  'Sadachbia',
  'Sadaltager',
  'Schedar',
  'Sulafat',
  'Umbriel',
  'Vindemiatrix',
  'Zephyr',
  'Zubenelgenubi',
] as const

/** The nearest of this vendor's voices to those that clients of the chat dialect know. */
export const CONTENT_VOICE_OF: Readonly<Record<string, (typeof CONTENT_VOICES)[number]>> = {
  alloy: 'Kore',
  ash: 'Orus',
  ballad: 'Umbriel',
  cedar: 'Algieba',
  coral: 'Aoede',
  echo: 'Charon',
  fable: 'Fenrir',
  marin: 'Sulafat',
  nova: 'Leda',
  onyx: 'Algenib',
  sage: 'Autonoe',
  shimmer: 'Callirrhoe',
  verse: 'Puck',
}

export const isKnownElsewhere = (voice: string): boolean => Object.hasOwn(CONTENT_VOICE_OF, voice)

const nameHere = (voice: string): string => (isKnownElsewhere(voice) ? CONTENT_VOICE_OF[voice] : undefined) ?? voice

/**
 * The name that is sent for the caller's. `voices`: those that the model may speak with, by either name; undefined: all. Clients of the
 * chat dialect always name one of its voices, which then stands for any.
 */
export function contentVoice(voice: string, voices?: readonly string[]): string {
  const name = nameHere(voice)
  const allowed = voices?.map(nameHere)
  return !isKnownElsewhere(voice) || !allowed || allowed.includes(name) ? name : (allowed[0] ?? name)
}

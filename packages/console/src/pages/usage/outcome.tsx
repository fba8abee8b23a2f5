import { useTexts } from '../../i18n/language.tsx'
import { Badge, type Tone } from '../../ui/states.tsx'

const TONES: Readonly<Record<string, Tone>> = {
  running: 'accent',
  completed: 'good',
  failed: 'bad',
  rejected: 'bad',
  cut: 'bad',
  timeout: 'bad',
  expired: 'bad',
  incomplete: 'warn',
  content_filtered: 'warn',
  stopped_by_balance: 'warn',
  client_disconnected: 'warn',
}

/** How a request ended, in words; the colour only repeats it. */
export function OutcomeBadge({ outcome }: { outcome: string }) {
  const { outcomes } = useTexts().usage
  return <Badge tone={TONES[outcome] ?? 'plain'}>{outcomes[outcome] ?? outcome}</Badge>
}

// Where an entry of the configuration comes from, and whether it can be changed here.

import { Drawing } from '../../../ui/icons.tsx'
import { Banner } from '../../../ui/states.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

type Entry = {
  read_only: boolean
  source: { from: string; file: string | null; line: number | null; variable: string | null; revision: number | null }
}

/** `trivium.yaml:31`: the name of the file is enough, its folder is that of the gateway. */
export function usePlaceOf(): (entry: Entry) => string {
  const t = useOperateTexts().models.source
  return ({ source: { from, file, line, variable, revision } }) => {
    if (from === 'file') return `${file?.split('/').at(-1) ?? ''}:${line ?? ''}`
    if (from === 'environment') return variable ?? ''
    return from === 'stored' ? t.stored(String(revision ?? '')) : t.builtIn
  }
}

const LOCK = 'M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5'

export function Lock({ entry }: { entry: Entry }) {
  const t = useOperateTexts().models.source
  const place = usePlaceOf()(entry)
  if (!entry.read_only) return null
  const said = t.editIn(place)
  return (
    <span className="inline-flex items-center gap-1 text-xs text-muted" title={said}>
      <Drawing path={LOCK} size={14} />
      <span className="sr-only">{said}</span>
      <span aria-hidden="true" className="font-mono">
        {place}
      </span>
    </span>
  )
}

export function LockBanner({ entry }: { entry: Entry }) {
  const t = useOperateTexts().models.source
  const place = usePlaceOf()(entry)
  return entry.read_only ? <Banner>{t.editIn(place)}</Banner> : null
}

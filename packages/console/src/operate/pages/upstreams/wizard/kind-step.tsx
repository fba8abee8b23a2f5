import { useState } from 'react'
import { useLanguage } from '../../../../i18n/language.tsx'
import { classes } from '../../../../ui/classes.ts'
import { SearchField } from '../../../../ui/search.tsx'
import { ErrorState, Skeleton } from '../../../../ui/states.tsx'
import { useAdmin } from '../../../api/queries.ts'
import type { Row } from '../../../api/routes.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { CUSTOM } from './draft.ts'

export const useKinds = () => useAdmin('upstream-kinds', {}, { staleTime: Number.POSITIVE_INFINITY })

type Kind = Row<'upstream-kinds'>

/** A click is the choice, and leads on. */
export function KindStep({ chosen, onChoose }: { chosen: string; onChoose(kind: string): void }) {
  const t = useOperateTexts().upstreams.wizard.kind
  const { data, error, refetch } = useKinds()
  const [search, setSearch] = useState('')
  const { language } = useLanguage()
  if (error && !data) return <ErrorState error={error} retry={refetch} />
  const addressOf = ({ base_url, mainland }: Kind) => (language === 'zh' ? mainland?.base_url : undefined) ?? base_url
  const isFound = ({ id, name }: Kind) => `${id} ${name}`.toLowerCase().includes(search.toLowerCase())
  return (
    <div className="flex flex-col gap-3">
      <SearchField value={search} onChange={setSearch} label={t.search} />
      <ul className="grid gap-2 min-[521px]:grid-cols-2 min-[1000px]:grid-cols-3">
        {data === undefined
          ? Array.from({ length: 12 }, (_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: skeletons have no identity.
              <li key={index}>
                <Skeleton size="h-[58px] w-full" />
              </li>
            ))
          : data.data
              .filter(isFound)
              .map((kind) => (
                <Tile
                  key={kind.id}
                  name={kind.name}
                  note={addressOf(kind)?.replace(/^https?:\/\//, '') ?? t.ownAddress}
                  isChosen={kind.id === chosen}
                  onClick={() => onChoose(kind.id)}
                />
              ))}
        {data && (
          <Tile name={t.custom} note={t.customNote} isChosen={chosen === CUSTOM} onClick={() => onChoose(CUSTOM)} />
        )}
      </ul>
    </div>
  )
}

type TileProps = { name: string; note: string; isChosen: boolean; onClick(): void }

function Tile({ name, note, isChosen, onClick }: TileProps) {
  return (
    <li>
      <button
        type="button"
        aria-pressed={isChosen}
        onClick={onClick}
        className={classes(
          'flex min-h-[58px] w-full min-w-0 flex-col justify-center rounded-md border bg-surface px-3 py-2 text-left hover:bg-raised',
          isChosen && 'border-accent bg-accent-soft',
        )}
      >
        <span className="w-full font-medium wrap-anywhere">{name}</span>
        <span className="w-full truncate text-sm text-muted">{note}</span>
      </button>
    </li>
  )
}

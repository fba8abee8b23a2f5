import { useAbout } from '../../../api/queries.ts'
import { useTexts } from '../../../i18n/language.tsx'
import { safeImage } from '../../../markdown/addresses.ts'
import { Button, ButtonAnchor } from '../../../ui/button.tsx'
import { EntryCard } from '../entry-card.tsx'
import { isRunning } from '../history/history.ts'
import { Thumbnails } from '../pictures.tsx'
import { codeOf } from '../request-code.tsx'
import { editCode } from './edit-code.ts'
import { extensionOf, type ImageEntry, imageBody } from './image-call.ts'

type ImageViewProps = { entry: ImageEntry; onAgain(): void; onEdit(url: string): void; onRemove(): void }

export function ImageView({ entry, onAgain, onEdit, onRemove }: ImageViewProps) {
  const t = useTexts().playground
  const { data: about } = useAbout()
  const { settings, inputs, mask, images, partial, outcome } = entry
  const isWaiting = outcome.state === 'running' && isRunning(entry.id)
  const shown = images.length > 0 ? images : partial === '' ? [] : [partial]
  return (
    <EntryCard
      entry={entry}
      title={settings.prompt}
      first={t.firstImage}
      snippet={
        inputs.length > 0
          ? (language, access) => editCode(entry, language, access)
          : codeOf({ protocol: 'images', body: imageBody(settings) })
      }
      onAgain={onAgain}
      onRemove={onRemove}
    >
      <Thumbnails urls={[...inputs, ...(mask === '' ? [] : [mask])]} />
      {isWaiting && shown.length === 0 && (
        <div className="skeleton grid aspect-square w-full max-w-96 place-items-center text-muted">{t.waiting}</div>
      )}
      <div className="flex flex-wrap gap-4">
        {shown.map((url, index) => {
          const safe = safeImage(url, [location.origin, about?.base_url ?? ''])
          const isFinal = images.length > 0
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: images are only added at the end.
            <figure key={index} className="flex w-full max-w-[512px] min-w-0 flex-col gap-2">
              {safe === undefined ? (
                <p className="text-muted">{t.foreignImage}</p>
              ) : (
                <img
                  src={safe}
                  alt={isFinal ? settings.prompt : t.partialImage}
                  data-final={isFinal}
                  className="h-auto w-full rounded-md border"
                />
              )}
              {isFinal && safe?.startsWith('data:') && (
                <figcaption className="flex flex-wrap gap-2">
                  <ButtonAnchor small icon="download" href={safe} download={`image-${index + 1}.${extensionOf(safe)}`}>
                    {t.download}
                  </ButtonAnchor>
                  <Button small icon="edit" onClick={() => onEdit(safe)}>
                    {t.editThis}
                  </Button>
                </figcaption>
              )}
            </figure>
          )
        })}
      </div>
    </EntryCard>
  )
}

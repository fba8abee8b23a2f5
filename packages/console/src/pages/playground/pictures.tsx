// Pictures that a person adds from their disk.

import { type RefObject, useRef } from 'react'
import { useTexts } from '../../i18n/language.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { useToast } from '../../ui/toast.tsx'
import { dataUrl } from './data-url.ts'

const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']
const LARGEST = 8 * 1024 * 1024

/** As data URLs; what is no picture, or too large, is left out and named. */
export function useReadPictures(most: number): (files: Iterable<File>, present: number) => Promise<string[]> {
  const t = useTexts().playground
  const toast = useToast()
  return async (files, present) => {
    const urls: string[] = []
    for (const file of files) {
      if (present + urls.length >= most) toast(t.tooMany(most), 'bad')
      else if (!TYPES.includes(file.type)) toast(t.notPicture(file.name), 'bad')
      else if (file.size > LARGEST) toast(t.tooLarge(file.name, LARGEST / 1024 / 1024), 'bad')
      else urls.push(await dataUrl(file))
    }
    return urls
  }
}

/** A button that opens the file dialog. */
export function AddFiles({
  label,
  onAdd,
  multiple = true,
  types = TYPES,
}: {
  label: string
  onAdd(files: File[]): void
  multiple?: boolean
  types?: readonly string[]
}) {
  const input: RefObject<HTMLInputElement | null> = useRef(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        tabIndex={-1}
        aria-label={label}
        accept={types.join(',')}
        multiple={multiple}
        className="sr-only"
        onChange={(event) => {
          onAdd([...(event.target.files ?? [])])
          event.target.value = ''
        }}
      />
      <Button icon="plus" onClick={() => input.current?.click()}>
        {label}
      </Button>
    </>
  )
}

export function Thumbnails({ urls, onRemove }: { urls: readonly string[]; onRemove?(index: number): void }) {
  const t = useTexts().playground
  if (urls.length === 0) return null
  return (
    <ul className="flex flex-wrap gap-2">
      {urls.map((url, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same picture may be there twice.
        <li key={index} className="relative">
          <img src={url} alt={t.pictureNumber(index + 1)} className="h-20 max-w-40 rounded-md border object-contain" />
          {onRemove && (
            <span className="absolute top-1 right-1 rounded-md bg-surface">
              <IconButton icon="close" label={t.removePicture(index + 1)} onClick={() => onRemove(index)} />
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

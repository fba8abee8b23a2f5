import { useTexts } from '../i18n/language.tsx'
import { Skeleton } from '../ui/states.tsx'

/** The frame of the console before the session is known, in the size of what follows. */
export function LayoutSkeleton() {
  const { common } = useTexts()
  return (
    <div className="flex min-h-dvh">
      <div className="hidden w-[216px] shrink-0 border-r bg-surface wide:block" />
      <main aria-busy="true" aria-label={common.loading} className="mx-auto w-full max-w-[1120px] p-4 wide:p-8">
        <Skeleton size="h-7 w-40" />
      </main>
    </div>
  )
}

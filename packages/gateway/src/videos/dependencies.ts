// What videos depend on: their tasks, and the requests that begin them.
import type { MediaStore } from '../media/media-store.ts'
import type { SignedUrls } from '../media/signed-urls.ts'
import type { TaskWorkDependencies } from '../tasks/dependencies.ts'
import type { downloadPublic } from '../upstreams/public/download-public.ts'
import type { fetchPublic } from '../upstreams/public/fetch-public.ts'
import type { Embedded } from '../upstreams/send.ts'

export type VideoDependencies = TaskWorkDependencies & {
  mediaStore: MediaStore
  signedUrls: Pick<SignedUrls, 'sign'>
  downloadPublic: typeof downloadPublic
  fetchPublic: typeof fetchPublic
  embedded: Embedded
}
